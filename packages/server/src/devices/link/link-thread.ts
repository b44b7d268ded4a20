import { setImmediate as nextTurn } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { Committed } from '@granary/app/effects';
import { WriteMeter, writeCall } from '@granary/app/write-call';
import { EmbeddedBroker } from '@granary/link/broker/broker';
import type { BrokerAddresses, LinkHandler } from '@granary/link/port';
import { clientOver, type WriterClient } from '@granary/store/sqlite/writer-client';
import { readClock } from '../../process/nodes/service-clock.ts';
import { DeclaredSensorsCache } from '../declared-sensors.ts';
import type { PackedBatch } from '../ingest/batch.ts';
import { countsOf, newIngestCounters } from '../ingest/counters.ts';
import { batchWriter, IngestPipeline } from '../ingest/pipeline.ts';
import { TelemetryIntake } from '../ingest/telemetry-intake.ts';
import { CountedReceiver, PortCalls, type PortMessage, passable, sendCounted } from './port-calls.ts';
import {
  type LinkThreadCalls,
  type LinkThreadData,
  type ListenResult,
  type LogLine,
  MAIN_THREAD_CALLS,
  type MainThreadCalls,
} from './thread-protocol.ts';

/** Accepts the connections of devices, decodes and stores their telemetry, and passes the rest to the main thread. */
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
  const counters = newIngestCounters();
  const meter = new WriteMeter();
  const writer = data.writer === null ? null : clientOver(data.writer);
  const writeBatch = async (batch: PackedBatch, client: WriterClient): Promise<void> => {
    const call = writeCall('telemetry', 'append', batch);
    const { buffer } = batch.readings;
    const done = await meter.measure(client.submit(call, { transferred: [buffer] }));
    // The main thread is told before the devices are.
    sendCounted(data.written, (done as Committed<unknown>).effects);
  };
  const pipeline = new IngestPipeline({
    ...(writer === null
      ? batchWriter('postgres', main.append)
      : batchWriter('sqlite', (batch) => writeBatch(batch, writer))),
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
    log: {
      warn: (deviceId, fields, text) => log('warn', deviceId)(fields, text),
      error: (deviceId, fields, text) => log('error', deviceId)(fields, text),
    },
  });
  const handler: LinkHandler = {
    ...main,
    get isHolding() {
      return pipeline.isHolding;
    },
    received(device, message) {
      if (message.subject !== 'telemetry') return main.received(device, message);
      const { telemetry } = message;
      return intake.telemetry(device, Array.isArray(telemetry) ? telemetry : [telemetry]);
    },
    usualTelemetry: (device, receipts) => intake.usualTelemetry(device, receipts),
    rejected: (device, rejection) => intake.rejected(device, rejection),
    observed: (event) => main.observed('cause' in event ? { ...event, cause: passable(event.cause) } : event),
  };
  const broker = new EmbeddedBroker(data.addresses, handler, {
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
      writes: { ...meter.figures(), pendingWrites: writer?.pendingWrites ?? 0 },
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
