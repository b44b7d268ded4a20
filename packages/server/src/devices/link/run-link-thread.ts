import { setImmediate as nextTurn } from 'node:timers/promises';
import { WriteMeter } from '@granary/app/write-meter';
import { EmbeddedBroker } from '@granary/link/broker/broker';
import type {
  BrokerAddresses,
  Ending,
  LinkDevice,
  LinkEvent,
  LinkHandler,
  LinkRejection,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';
import { clientOver } from '@granary/store/sqlite/writer-client';
import { readClock } from '../../process/nodes/service-clock.ts';
import { DeclaredSensorsCache } from '../declared-sensors-cache.ts';
import { type BatchWriter, toMainThread, toWriterPort } from '../ingest/batches.ts';
import { countsOf, newIngestCounters } from '../ingest/counters.ts';
import { IngestPipeline } from '../ingest/pipeline.ts';
import { TelemetryIntake } from '../ingest/telemetry-intake.ts';
import { CountedReceiver, sendCounted } from './counted-port.ts';
import { PortCalls, type PortMessage, passable } from './port-calls.ts';
import type { LinkThreadCalls, LinkThreadData, ListenResult, LogLine, MainThreadCalls } from './protocol.ts';

/** Accepts the connections of devices, decodes and stores their telemetry, and passes the rest to the main thread. */
export function runLinkThread(data: LinkThreadData): void {
  const { limits, certificate, sharesPorts, rawRetentionDays, heldReadingsMax, clock } = data;
  const now = (): number => readClock(clock);

  const own: LinkThreadCalls = {
    start: () => broker.start().then(asBound, asFault),
    async stop() {
      await broker.stop();
      await pipeline.drain();
    },
    useCertificate: (renewed) => broker.useCertificate(renewed),
    sendCommand: (...command) => broker.sendCommand(...command),
    sendConfiguration: (...configuration) => void broker.sendConfiguration(...configuration),
    linkStatistics: (deviceId) => broker.linkStatistics(deviceId),
    // A login that was answered before begins its session in this turn, and must be ended, too.
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
  const { port, toThread, toMain } = data.calls;
  const main = new PortCalls<MainThreadCalls>(own, (message) => sendCounted({ port, sent: toMain }, message));
  const arriving = new CountedReceiver<PortMessage>({ port, sent: toThread }, (message) =>
    main.receive(message),
  );

  const log = (level: LogLine['level'], deviceId: string | null) => (fields: object, text: string) =>
    main.tell('log', { deviceId, level, fields: passableFields(fields), text });
  const counters = newIngestCounters();
  const meter = new WriteMeter();
  const writer = data.writer === null ? null : clientOver(data.writer);
  const batchWriter: BatchWriter =
    writer === null
      ? toMainThread((batch) => main.ask('append', batch))
      : toWriterPort({ submit: (...call) => meter.measure(writer.submit(...call)) }, (effects) =>
          sendCounted(data.written, effects),
        );
  const pipeline = new IngestPipeline({
    ...batchWriter,
    counters,
    heldReadingsMax,
    logger: { error: log('error', null), info: log('info', null) },
  });
  const sensors = new DeclaredSensorsCache((device) => main.ask('sensorsOf', device));
  const intake = new TelemetryIntake({
    pipeline,
    counters,
    now,
    rawRetentionDays,
    sensorsOf: ({ deviceId, deviceNo }) => sensors.cached(deviceId) ?? sensors.lookUp({ deviceId, deviceNo }),
    log: {
      warn: (deviceId, fields, text) => log('warn', deviceId)(fields, text),
      error: (deviceId, fields, text) => log('error', deviceId)(fields, text),
    },
  });
  const handler = new ThreadHandler({ main, intake, pipeline });
  const broker = new EmbeddedBroker(data.addresses, handler, {
    now,
    limits,
    certificate,
    sharesPorts,
    serveFirst: () => arriving.takeArrived(),
  });
  arriving.start();
}

const asBound = (bound: BrokerAddresses): ListenResult => ({ bound });

function asFault(error: NodeJS.ErrnoException & { readonly port?: number }): ListenResult {
  const { message, code, port } = error;
  return { fault: { message, code, port } };
}

const passableFields = (fields: object): object =>
  'err' in fields ? { ...fields, err: passable(fields.err) } : fields;

interface HandlerParts {
  readonly main: PortCalls<MainThreadCalls>;
  readonly intake: Pick<TelemetryIntake, 'telemetry' | 'rejected'>;
  readonly pipeline: Pick<IngestPipeline, 'isHolding'>;
}

/** Takes in telemetry in this thread, and passes everything else to the main thread. */
class ThreadHandler implements LinkHandler {
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  get isHolding(): boolean {
    return this.#parts.pipeline.isHolding;
  }

  authenticate(deviceId: string, secret: string, remoteAddress: string): Promise<LinkDevice | null> {
    return this.#parts.main.ask('authenticate', deviceId, secret, remoteAddress);
  }

  received(device: LinkDevice, message: UplinkMessage): Promise<MessageOutcome> {
    const { main, intake } = this.#parts;
    if (message.subject !== 'telemetry') return main.ask('received', device, message);
    const { telemetry } = message;
    return intake.telemetry(device, Array.isArray(telemetry) ? telemetry : [telemetry]);
  }

  rejected(device: LinkDevice, rejection: LinkRejection): Promise<void> {
    return this.#parts.intake.rejected(device, rejection);
  }

  connected(device: LinkDevice): void {
    this.#parts.main.tell('connected', device);
  }

  disconnected(device: LinkDevice, ending: Ending): void {
    this.#parts.main.tell('disconnected', device, ending);
  }

  reachable(device: LinkDevice): void {
    this.#parts.main.tell('reachable', device);
  }

  unreachable(device: LinkDevice): void {
    this.#parts.main.tell('unreachable', device);
  }

  awaitsConfiguration(device: LinkDevice): void {
    this.#parts.main.tell('awaitsConfiguration', device);
  }

  observed(event: LinkEvent): void {
    this.#parts.main.tell('observed', 'cause' in event ? { ...event, cause: passable(event.cause) } : event);
  }
}
