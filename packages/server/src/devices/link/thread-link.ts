import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { App } from '@granary/app/app';
import { CountedReceiver, newCount, sendCounted } from '@granary/common/counted-channel';
import { LATE, within } from '@granary/common/within';
import type { Delivery, LinkDevice, LinkHandler } from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { SensorsById } from '../declared-sensors.ts';
import type { SessionEvents } from '../ingest/uplink.ts';
import { PortCalls, type PortMessage } from './port-calls.ts';
import type { ThreadMember } from './service-link.ts';
import {
  LINK_THREAD_CALLS,
  type LinkThreadCalls,
  type LinkThreadData,
  type ListenFault,
  type LogLine,
  type MainThreadCalls,
} from './thread-protocol.ts';

/** After this time it is not known whether a message was written, so it counts as sent: the device may have it. */
const DELIVERY_MS_MAX = 1_000;

/** The limit is the same as for the writer thread: V8 would keep twice as much memory after a time of much work. */
const YOUNG_GENERATION_MB_MAX = 24;

/** The thread answers within milliseconds unless it hangs. */
const ANSWER_MS_MAX = 2_000;

const THREAD_URL = new URL('./link-thread.ts', import.meta.url);

/** The functions of the main thread that are not part of the sessions. */
export interface MainThreadParts {
  readonly sensorsOf: (
    device: Pick<LinkDevice, 'deviceId' | 'deviceNo'>,
  ) => SensorsById | Promise<SensorsById>;
  readonly log: (line: LogLine) => void;
  /** Checks the logins of this thread. */
  readonly logIn: LinkHandler['authenticate'];
  readonly app: Pick<App, 'write' | 'openThreadWrites'>;
  /** Called when the thread has ended by itself. */
  readonly failed: (error: Error) => void;
}

interface ThreadSettings
  extends Pick<LinkThreadData, 'limits' | 'sharesPorts' | 'rawRetentionDays' | 'heldReadingsMax' | 'clock'> {
  readonly certificate: CertificatePair | null;
  /** Tests replace it by one that fails. */
  readonly threadUrl?: URL;
}

/** The main thread's side of a part of the device link in a thread of its own. */
export function createThreadLink(
  sessions: SessionEvents,
  parts: MainThreadParts,
  settings: ThreadSettings,
): ThreadMember {
  const { app, sensorsOf, log, logIn, failed } = parts;
  const { threadUrl = THREAD_URL, ...data } = settings;
  const toThread = new MessageChannel();
  const counts = { toThread: newCount(), toMain: newCount() };
  /** The devices with a session in the thread, and whether they are subscribed to their commands. */
  const connected = new Map<string, boolean>();
  let certificate = data.certificate;
  let thread: Worker | null = null;
  let isListening = false;
  let isStopping = false;

  const own: MainThreadCalls = {
    sensorsOf,
    log,
    authenticate: logIn,
    write: (call) => app.write(call),
    ...notedSessions(connected, sessions),
  };
  const calls = new PortCalls<LinkThreadCalls, typeof LINK_THREAD_CALLS>(LINK_THREAD_CALLS, (message) =>
    sendCounted({ port: toThread.port1, sent: counts.toThread }, message),
  );
  const { remote } = calls;
  const arriving = new CountedReceiver<PortMessage>(
    { port: toThread.port1, sent: counts.toMain },
    (message) => calls.receive(message, [own]),
  );

  const ended = (error: Error): void => {
    isListening = false;
    calls.end(error);
    if (isStopping) return;
    isStopping = true;
    failed(error);
  };

  const stop = async (): Promise<void> => {
    if (thread === null || isStopping) return;
    isStopping = true;
    isListening = false;
    await remote.stop().catch(() => undefined);
    await thread.terminate();
    toThread.port1.close();
    connected.clear();
  };

  return {
    ...remote,
    stop,
    get isListening() {
      return isListening;
    },
    get connectedCount() {
      return connected.size;
    },
    async start(addresses) {
      const writes = app.openThreadWrites?.() ?? null;
      const ports = { port: toThread.port2, ...counts };
      thread = startThread(threadUrl, { ...data, addresses, writes, certificate, calls: ports }, ended);
      arriving.start();
      const result = await remote.start();
      if ('fault' in result) {
        await stop();
        throw errorOf(result.fault);
      }
      isListening = true;
      return result.bound;
    },
    useCertificate(renewed) {
      certificate = renewed;
      remote.useCertificate(renewed);
    },
    async sendCommand(...command) {
      return isListening ? await deliveryOf(remote.sendCommand(...command)) : 'not_connected';
    },
    // A report of the thread counts as soon as it has arrived: a caller may already know it from the device.
    isReachable(deviceId) {
      arriving.takeArrived();
      return connected.get(deviceId) ?? false;
    },
    isConnected(deviceId) {
      arriving.takeArrived();
      return connected.has(deviceId);
    },
    linkStatistics: (deviceId) => answerOf(remote.linkStatistics(deviceId)),
    figures: () => answerOf(remote.figures()),
  };
}

function startThread(url: URL, workerData: LinkThreadData, ended: (error: Error) => void): Worker {
  const { calls, writes } = workerData;
  const transferList: MessagePort[] = [calls.port];
  if (writes !== null) transferList.push(writes.writer, writes.reports.port);
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB_MAX };
  const thread = new Worker(url, { workerData, transferList, resourceLimits });
  thread.on('error', (error) => ended(asError(error)));
  thread.on('exit', () => ended(new Error('the thread of the device link has ended')));
  return thread;
}

/** Notes which devices are connected before their sessions are handled. */
const notedSessions = (
  connected: Map<string, boolean>,
  sessions: SessionEvents,
): Omit<SessionEvents, 'authenticate'> => ({
  connected: (device) => {
    connected.set(device.deviceId, false);
    sessions.connected(device);
  },
  disconnected: (device, ending) => {
    connected.delete(device.deviceId);
    sessions.disconnected(device, ending);
  },
  reachable: (device) => {
    connected.set(device.deviceId, true);
    sessions.reachable(device);
  },
  unreachable: (device) => {
    connected.set(device.deviceId, false);
    sessions.unreachable(device);
  },
  awaitsConfiguration: (device) => sessions.awaitsConfiguration(device),
  observed: (event) => sessions.observed(event),
});

/** A command counts as sent when it is not known whether it was written. */
async function deliveryOf(sending: Promise<Delivery>): Promise<Delivery> {
  try {
    const delivery = await within(DELIVERY_MS_MAX, sending);
    return delivery === LATE ? 'sent' : delivery;
  } catch {
    return 'sent';
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const errorOf = ({ message, code, port }: ListenFault): Error =>
  Object.assign(new Error(message), { code, port });

async function answerOf<T>(asked: Promise<T>): Promise<T> {
  const answer = await within(ANSWER_MS_MAX, asked);
  if (answer === LATE) throw new Error('the thread of the device link does not answer');
  return answer;
}
