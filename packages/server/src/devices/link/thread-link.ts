import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ThreadWrites } from '@granary/app/app';
import type { Committed } from '@granary/app/effects';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { requestLeftMs } from '@granary/common/request-time';
import { LATE, within } from '@granary/common/within';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  LinkConfiguration,
  LinkDevice,
  LinkHandler,
  LinkStatistics,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { SensorsById } from '../declared-sensors-cache.ts';
import { CountedReceiver, newCount, sendCounted } from './counted-port.ts';
import type { LinkMember } from './link-member.ts';
import { PortCalls, type PortMessage } from './port-calls.ts';
import type {
  LinkThreadCalls,
  LinkThreadData,
  ListenFault,
  LogLine,
  MainThreadCalls,
  ThreadFigures,
} from './protocol.ts';

/** After this time it is not known whether a message was written, so it counts as sent: the device may have it. */
const DELIVERY_MS_MAX = 1_000;

/** As for the writer thread: V8 would keep twice as much after a time of much work. */
const YOUNG_GENERATION_MB_MAX = 24;

/** The thread answers within milliseconds unless it hangs. */
const ANSWER_MS_MAX = 2_000;

/** The functions of the main thread that are not part of the handler. */
export interface MainThreadParts {
  readonly sensorsOf: (
    device: Pick<LinkDevice, 'deviceId' | 'deviceNo'>,
  ) => SensorsById | Promise<SensorsById>;
  readonly append: (batch: TelemetryBatch) => Promise<unknown>;
  readonly log: (line: LogLine) => void;
  /** `null` where the main thread writes. */
  readonly threadWrites: ThreadWrites | null;
  /** The thread has ended by itself. */
  readonly failed: (error: Error) => void;
}

interface ThreadSettings
  extends Pick<LinkThreadData, 'limits' | 'sharesPorts' | 'rawRetentionDays' | 'heldReadingsMax' | 'clock'> {
  /** Tests replace it by one that fails. */
  readonly threadUrl?: URL;
}

/** Of a batch that the thread has written. */
type Effects = Committed<unknown>['effects'];

const THREAD_URL = new URL('./link-thread.ts', import.meta.url);

/** The main thread's side of a part of the device link in a thread of its own. */
export class ThreadLink implements LinkMember {
  readonly #handler: LinkHandler;
  readonly #parts: MainThreadParts;
  readonly #settings: ThreadSettings;
  #certificate: CertificatePair | null;
  readonly #calls: PortCalls<LinkThreadCalls>;
  readonly #toThread = new MessageChannel();
  readonly #written = new MessageChannel();
  readonly #counts = { toThread: newCount(), toMain: newCount(), written: newCount() };
  readonly #arriving: CountedReceiver<PortMessage>;
  readonly #reports: CountedReceiver<Effects>;
  /** The devices with a session there, and whether they are subscribed to their commands. */
  readonly #connected = new Map<string, boolean>();
  #thread: Worker | null = null;
  #isListening = false;
  #isStopping = false;

  constructor(
    handler: LinkHandler,
    parts: MainThreadParts,
    settings: ThreadSettings,
    certificate: CertificatePair | null,
  ) {
    this.#handler = handler;
    this.#parts = parts;
    this.#settings = settings;
    this.#certificate = certificate;
    const { port1: port } = this.#toThread;
    const { toThread, toMain, written } = this.#counts;
    const calls = new PortCalls<LinkThreadCalls>(this.#own(), (message) =>
      sendCounted({ port, sent: toThread }, message),
    );
    this.#calls = calls;
    this.#arriving = new CountedReceiver<PortMessage>({ port, sent: toMain }, (message) =>
      calls.receive(message),
    );
    this.#reports = new CountedReceiver<Effects>({ port: this.#written.port1, sent: written }, (effects) =>
      this.#taken(effects),
    );
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  get connectedCount(): number {
    return this.#connected.size;
  }

  async start(addresses: BrokerAddresses): Promise<BrokerAddresses> {
    const calls = this.#toThread.port2;
    const written = this.#written.port2;
    const writer = this.#parts.threadWrites?.openPort() ?? null;
    const { threadUrl = THREAD_URL, ...settings } = this.#settings;
    const workerData: LinkThreadData = {
      ...settings,
      addresses,
      writer,
      certificate: this.#certificate,
      calls: { port: calls, toThread: this.#counts.toThread, toMain: this.#counts.toMain },
      written: { port: written, sent: this.#counts.written },
    };
    const transferList: MessagePort[] = [calls, written, ...(writer === null ? [] : [writer.port])];
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB_MAX };
    this.#thread = new Worker(threadUrl, { workerData, transferList, resourceLimits });
    this.#thread.on('error', (error) => this.#ended(asError(error)));
    this.#thread.on('exit', () => this.#ended(new Error('the thread of the device link has ended')));
    this.#arriving.start();
    this.#reports.start();
    const result = await this.#calls.ask('start');
    if ('fault' in result) {
      await this.stop();
      throw errorOf(result.fault);
    }
    this.#isListening = true;
    return result.bound;
  }

  async stop(): Promise<void> {
    if (this.#thread === null || this.#isStopping) return;
    this.#isStopping = true;
    this.#isListening = false;
    await this.#calls.ask('stop').catch(() => undefined);
    this.takeReports();
    await this.#thread.terminate();
    for (const { port1 } of [this.#toThread, this.#written]) port1.close();
    this.#connected.clear();
  }

  /** Handles the waiting reports of the thread, so that everything that was acknowledged to a device is known here. */
  takeReports(): void {
    this.#reports.takeArrived();
  }

  useCertificate(certificate: CertificatePair): void {
    this.#certificate = certificate;
    this.#calls.tell('useCertificate', certificate);
  }

  async sendCommand(deviceId: string, command: object, options: CommandOptions): Promise<Delivery> {
    if (!this.#isListening) return 'not_connected';
    const sending = this.#calls.ask('sendCommand', deviceId, command, options);
    try {
      const delivery = await within(DELIVERY_MS_MAX, sending);
      return delivery === LATE ? 'sent' : delivery;
    } catch {
      return 'sent';
    }
  }

  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void {
    this.#calls.tell('sendConfiguration', deviceId, configuration);
  }

  /** What the thread has reported counts at once: a caller may already know it from the device. */
  isReachable(deviceId: string): boolean {
    this.#arriving.takeArrived();
    return this.#connected.get(deviceId) ?? false;
  }

  isConnected(deviceId: string): boolean {
    this.#arriving.takeArrived();
    return this.#connected.has(deviceId);
  }

  linkStatistics(deviceId: string): Promise<LinkStatistics> {
    return answerOf(this.#calls.ask('linkStatistics', deviceId));
  }

  disconnect(deviceId: string): void {
    this.#calls.tell('disconnect', deviceId);
  }

  release(deviceId: string, remoteAddress: string): Promise<boolean> {
    return this.#calls.ask('release', deviceId, remoteAddress);
  }

  forgetSensors(deviceId: string): void {
    this.#calls.tell('forgetSensors', deviceId);
  }

  figures(): Promise<ThreadFigures> {
    return answerOf(this.#calls.ask('figures'));
  }

  #own(): MainThreadCalls {
    const { sensorsOf, append, log } = this.#parts;
    const handler = this.#handler;
    return {
      sensorsOf,
      append,
      log,
      authenticate: (deviceId, secret, remoteAddress) =>
        handler.authenticate(deviceId, secret, remoteAddress),
      received: (device, message) => handler.received(device, message),
      connected: (device) => {
        this.#connected.set(device.deviceId, false);
        handler.connected(device);
      },
      disconnected: (device, ending) => {
        this.#connected.delete(device.deviceId);
        handler.disconnected(device, ending);
      },
      reachable: (device) => {
        this.#connected.set(device.deviceId, true);
        handler.reachable(device);
      },
      unreachable: (device) => {
        this.#connected.set(device.deviceId, false);
        handler.unreachable(device);
      },
      awaitsConfiguration: (device) => handler.awaitsConfiguration(device),
      observed: (event) => handler.observed(event),
    };
  }

  #taken(effects: Effects): void {
    const { threadWrites, log } = this.#parts;
    threadWrites?.written(effects).catch((error: unknown) => {
      const text = 'carrying out the effects of readings failed';
      log({ deviceId: null, level: 'error', fields: { err: error }, text });
    });
  }

  #ended(error: Error): void {
    this.#isListening = false;
    this.#calls.end(error);
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#parts.failed(error);
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const errorOf = ({ message, code, port }: ListenFault): Error =>
  Object.assign(new Error(message), { code, port });

async function answerOf<T>(asked: Promise<T>): Promise<T> {
  const answer = await within(Math.min(ANSWER_MS_MAX, requestLeftMs()), asked);
  if (answer === LATE) throw new Error('the thread of the device link does not answer');
  return answer;
}
