import type { MessagePort } from 'node:worker_threads';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import type { EmbeddedBroker } from '@granary/link/broker/broker';
import type { LinkLimits } from '@granary/link/limits';
import type {
  BrokerAddresses,
  LinkDevice,
  LinkHandler,
  LinkTotals,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { WriterPort } from '@granary/store/engine';
import type { SharedClock } from '../../process/nodes/service-clock.ts';
import type { SensorsById } from '../declared-sensors.ts';
import type { IngestCounts } from '../ingest/counters.ts';
import type { CallKinds, CountedChannel } from './port-calls.ts';

/** Telemetry is stored by the thread of the link itself; the main thread decides about everything else. */
type MainThreadMessage = Exclude<UplinkMessage, { readonly subject: 'telemetry' }>;

export interface LogLine {
  /** `null` for a line about no single device. */
  readonly deviceId: string | null;
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly text: string;
}

type OfHandler =
  | 'authenticate'
  | 'connected'
  | 'disconnected'
  | 'reachable'
  | 'unreachable'
  | 'awaitsConfiguration'
  | 'observed';

/** What the thread of a link can ask of the main thread. */
export interface MainThreadCalls extends Pick<LinkHandler, OfHandler> {
  received(device: LinkDevice, message: MainThreadMessage): Promise<MessageOutcome>;
  sensorsOf(device: Pick<LinkDevice, 'deviceId' | 'deviceNo'>): SensorsById | Promise<SensorsById>;
  /** Called only where the main thread has the connections to the database. */
  append(batch: TelemetryBatch): Promise<unknown>;
  log(line: LogLine): void;
}

export const MAIN_THREAD_CALLS = {
  authenticate: 'asked',
  received: 'asked',
  connected: 'told',
  disconnected: 'told',
  reachable: 'told',
  unreachable: 'told',
  awaitsConfiguration: 'told',
  observed: 'told',
  sensorsOf: 'asked',
  append: 'asked',
  log: 'told',
} as const satisfies CallKinds<MainThreadCalls>;

/** What happened on a port that could not be listened on; errors lose their fields between threads. */
export interface ListenFault {
  readonly message: string;
  readonly code: string | undefined;
  readonly port: number | undefined;
}

export type ListenResult = { readonly bound: BrokerAddresses } | { readonly fault: ListenFault };

type OfBroker = 'useCertificate' | 'sendCommand' | 'sendConfiguration' | 'linkStatistics' | 'disconnect';

/** What the main thread can ask of the thread of a link. */
export interface LinkThreadCalls extends Pick<EmbeddedBroker, OfBroker> {
  start(): Promise<ListenResult>;
  /** Ends all connections, and resolves when everything they sent is written or refused. */
  stop(): Promise<void>;
  /** Whether the device had a session that was ended. */
  release(deviceId: string, remoteAddress: string): Promise<boolean>;
  forgetSensors(deviceId: string): void;
  figures(): ThreadFigures;
}

export const LINK_THREAD_CALLS = {
  start: 'asked',
  stop: 'asked',
  useCertificate: 'told',
  sendCommand: 'asked',
  sendConfiguration: 'told',
  linkStatistics: 'asked',
  disconnect: 'told',
  release: 'asked',
  forgetSensors: 'told',
  figures: 'asked',
} as const satisfies CallKinds<LinkThreadCalls>;

/** The figures of one thread since its start. */
export interface ThreadFigures {
  readonly openCount: number;
  readonly totals: LinkTotals;
  readonly ingest: {
    readonly counts: IngestCounts;
    readonly queuedReadings: number;
    readonly isHolding: boolean;
  };
  readonly writes: {
    readonly writes: number;
    readonly failedWrites: number;
    readonly writeMs: number;
    readonly pendingWrites: number;
  };
}

/** What a thread of the link is given at its start. */
export interface LinkThreadData {
  /** The channel to and from the main thread, with the messages counted in both directions. */
  readonly calls: { readonly port: MessagePort; readonly toThread: Int32Array; readonly toMain: Int32Array };
  /** Tells the main thread what was written, before the devices are told. */
  readonly written: CountedChannel;
  /** `null` where the main thread writes. */
  readonly writer: WriterPort | null;
  readonly addresses: BrokerAddresses;
  readonly limits: LinkLimits;
  readonly certificate: CertificatePair | null;
  /** Other threads accept connections on the same ports. */
  readonly sharesPorts: boolean;
  readonly rawRetentionDays: number;
  /** The readings that may wait while the storage is not available. */
  readonly heldReadingsMax: number;
  readonly clock: SharedClock;
}
