import type { MessagePort } from 'node:worker_threads';
import type { ThreadWritePorts } from '@granary/app/thread-writes';
import type { EmbeddedBroker } from '@granary/link/broker/broker';
import type { LinkLimits } from '@granary/link/limits';
import type { BrokerAddresses, LinkDevice, LinkTotals } from '@granary/link/port';
import type { CertificatePair } from '@granary/link/tls';
import type { UseCaseCall } from '@granary/store/engine';
import type { SharedClock } from '../../process/nodes/service-clock.ts';
import type { SensorsById } from '../declared-sensors.ts';
import type { IngestCounts } from '../ingest/counters.ts';
import type { SessionEvents } from '../ingest/uplink.ts';
import type { CallKinds } from './port-calls.ts';

export interface LogLine {
  /** `null` for a line about no single device. */
  readonly deviceId: string | null;
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly text: string;
}

/** What the thread of a link can ask of the main thread. */
export interface MainThreadCalls extends SessionEvents {
  sensorsOf(device: Pick<LinkDevice, 'deviceId' | 'deviceNo'>): SensorsById | Promise<SensorsById>;
  /** Called only where the main thread has the connections to the database. */
  write(call: UseCaseCall): Promise<unknown>;
  log(line: LogLine): void;
}

export const MAIN_THREAD_CALLS = {
  authenticate: 'asked',
  connected: 'told',
  disconnected: 'told',
  reachable: 'told',
  unreachable: 'told',
  awaitsConfiguration: 'told',
  observed: 'told',
  sensorsOf: 'asked',
  write: 'asked',
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
  /** `null` where the main thread writes. */
  readonly writes: {
    readonly writes: number;
    readonly failedWrites: number;
    readonly writeMs: number;
    readonly pendingWrites: number;
  } | null;
}

/** What a thread of the link is given at its start. */
export interface LinkThreadData {
  /** The channel to and from the main thread, with the messages counted in both directions. */
  readonly calls: { readonly port: MessagePort; readonly toThread: Int32Array; readonly toMain: Int32Array };
  /** `null` where the main thread writes. */
  readonly writes: ThreadWritePorts | null;
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
