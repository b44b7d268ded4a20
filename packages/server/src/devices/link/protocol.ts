import type { MessagePort } from 'node:worker_threads';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import type { LinkLimits } from '@granary/link/limits';
import type {
  BrokerAddresses,
  CommandOptions,
  Delivery,
  LinkConfiguration,
  LinkDevice,
  LinkHandler,
  LinkStatistics,
  LinkTotals,
  MessageOutcome,
  UplinkMessage,
} from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { WriterPort } from '@granary/store/engine';
import type { SharedClock } from '../../process/nodes/service-clock.ts';
import type { SensorsById } from '../declared-sensors-cache.ts';
import type { IngestCounts } from '../ingest/counters.ts';
import type { CountedChannel } from './counted-port.ts';

/** Telemetry is stored by the thread of the link itself; the main thread decides about everything else. */
export type MainThreadMessage = Exclude<UplinkMessage, { readonly subject: 'telemetry' }>;

export interface LogLine {
  /** `null` for a line about no single device. */
  readonly deviceId: string | null;
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly text: string;
}

type PassedOn =
  | 'authenticate'
  | 'connected'
  | 'disconnected'
  | 'reachable'
  | 'unreachable'
  | 'awaitsConfiguration'
  | 'observed';

/** What the thread of a link can ask of the main thread. */
export interface MainThreadCalls extends Pick<LinkHandler, PassedOn> {
  received(device: LinkDevice, message: MainThreadMessage): Promise<MessageOutcome>;
  sensorsOf(device: Pick<LinkDevice, 'deviceId' | 'deviceNo'>): SensorsById | Promise<SensorsById>;
  /** Only where the main thread has the connections to the database. */
  append(batch: TelemetryBatch): Promise<unknown>;
  log(line: LogLine): void;
}

/** What happened on a port that could not be listened on; errors lose their fields between threads. */
export interface ListenFault {
  readonly message: string;
  readonly code: string | undefined;
  readonly port: number | undefined;
}

export type ListenResult = { readonly bound: BrokerAddresses } | { readonly fault: ListenFault };

/** What the main thread can ask of the thread of a link. */
export interface LinkThreadCalls {
  start(): Promise<ListenResult>;
  /** Ends all connections, and resolves when everything they sent is written or refused. */
  stop(): Promise<void>;
  useCertificate(certificate: CertificatePair): void;
  sendCommand(deviceId: string, command: object, options: CommandOptions): Delivery;
  sendConfiguration(deviceId: string, configuration: LinkConfiguration): void;
  linkStatistics(deviceId: string): LinkStatistics;
  disconnect(deviceId: string): void;
  /** Whether the device had a session that was ended. */
  release(deviceId: string, remoteAddress: string): Promise<boolean>;
  forgetSensors(deviceId: string): void;
  figures(): ThreadFigures;
}

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
  /** To and from the main thread, with the messages counted in both directions. */
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
