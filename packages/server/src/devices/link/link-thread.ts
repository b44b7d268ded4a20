import { setImmediate as nextTurn } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { deviceWrites, ThreadWriter } from '@granary/app/thread-writes';
import { CountedReceiver, sendCounted } from '@granary/common/counted-channel';
import { EmbeddedBroker } from '@granary/link/broker/broker';
import type { BrokerAddresses } from '@granary/link/port';
import { readClock } from '../../process/nodes/service-clock.ts';
import { DeclaredSensorsCache } from '../declared-sensors.ts';
import { countsOf, newIngestCounters } from '../ingest/counters.ts';
import { DeviceQueue } from '../ingest/device-queue.ts';
import { batchWriter, IngestPipeline } from '../ingest/pipeline.ts';
import { TelemetryIntake } from '../ingest/telemetry-intake.ts';
import { type SessionEvents, Uplink } from '../ingest/uplink.ts';
import { PortCalls, type PortMessage, passable } from './port-calls.ts';
import {
  type LinkThreadCalls,
  type LinkThreadData,
  type ListenResult,
  type LogLine,
  MAIN_THREAD_CALLS,
  type MainThreadCalls,
} from './thread-protocol.ts';

/** Accepts the connections of devices, and decodes and stores their messages; the main thread checks logins and is told about sessions. */
function runLinkThread(data: LinkThreadData): void {
  const { limits, certificate, sharesPorts, rawRetentionDays, heldReadingsMax, clock } = data;
  const now = (): number => readClock(clock);

  const { port, toThread, toMain } = data.calls;
  const calls = new PortCalls<MainThreadCalls, typeof MAIN_THREAD_CALLS>(MAIN_THREAD_CALLS, (message) =>
    sendCounted({ port, sent: toMain }, message),
  );
  const main = calls.remote;
  const arriving = new CountedReceiver<PortMessage>({ port, sent: toThread }, (message) =>
    calls.receive(message, [own, broker]),
  );

  const log = (level: LogLine['level'], deviceId: string | null) => (fields: object, text: string) =>
    main.log({ deviceId, level, fields: passableFields(fields), text });
  const deviceLog = {
    warn: (deviceId: string, fields: object, text: string) => log('warn', deviceId)(fields, text),
    error: (deviceId: string, fields: object, text: string) => log('error', deviceId)(fields, text),
  };
  const counters = newIngestCounters();
  const writer = data.writes === null ? null : new ThreadWriter(data.writes);
  const app = deviceWrites(writer === null ? main.write : (call) => writer.write(call));
  const pipeline = new IngestPipeline({
    ...batchWriter(writer === null ? 'postgres' : 'sqlite', app.telemetry.append),
    counters,
    heldReadingsMax,
    logger: { error: log('error', null), info: log('info', null) },
  });
  const sensors = new DeclaredSensorsCache(main.sensorsOf);
  const intake = new TelemetryIntake({
    pipeline,
    counters,
    now,
    rawRetentionDays,
    sensorsOf: ({ deviceId, deviceNo }) => sensors.cached(deviceId) ?? sensors.lookUp({ deviceId, deviceNo }),
    cachedSensors: (deviceId) => sensors.cached(deviceId),
    log: deviceLog,
  });
  const sessions: SessionEvents = {
    ...main,
    observed: (event) => main.observed('cause' in event ? { ...event, cause: passable(event.cause) } : event),
  };
  const queue = new DeviceQueue(counters);
  const uplink = new Uplink({ app, sessions, intake, pipeline, queue, log: deviceLog, counters, now });
  const broker = new EmbeddedBroker(data.addresses, uplink, {
    now,
    limits,
    certificate,
    sharesPorts,
    serveFirst: () => arriving.takeArrived(),
  });
  /** The calls that this thread answers itself; the broker answers the others. */
  const own: Omit<
    LinkThreadCalls,
    'useCertificate' | 'sendCommand' | 'sendConfiguration' | 'linkStatistics'
  > = {
    start: () => broker.start().then(asBound, asFault),
    async stop() {
      await broker.stop();
      queue.stop();
      await pipeline.drain();
    },
    // A login that was answered before begins its session in this turn, and that session must be ended, too.
    disconnect: (deviceId) => void nextTurn().then(() => broker.disconnect(deviceId)),
    release: (deviceId, remoteAddress) => nextTurn().then(() => broker.release(deviceId, remoteAddress)),
    forgetSensors: (deviceId) => sensors.drop(deviceId),
    figures: () => ({
      openCount: broker.openCount,
      totals: { ...broker.totals },
      ingest: {
        counts: countsOf(counters),
        queuedReadings: pipeline.queuedReadings,
        isHolding: pipeline.isHolding,
      },
      writes: writer?.figures() ?? null,
    }),
  };
  arriving.start();
}

const asBound = (bound: BrokerAddresses): ListenResult => ({ bound });

function asFault(error: NodeJS.ErrnoException & { readonly port?: number }): ListenResult {
  const { message, code, port } = error;
  return { fault: { message, code, port } };
}

const passableFields = (fields: object): object =>
  'err' in fields ? { ...fields, err: passable(fields.err) } : fields;

runLinkThread(workerData);
