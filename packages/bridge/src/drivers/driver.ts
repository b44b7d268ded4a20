import type { Mapping } from '../mapping/mapping.ts';
import type { Total } from '../mapping/totals.ts';
import type { PointValue } from '../mapping/value.ts';

export type { PointValue } from '../mapping/value.ts';

/** All values of one read or one message of a device. */
export interface Sample {
  readonly deviceId: string;
  /** The time that the device reports, otherwise the time of the bridge. */
  readonly atMs: number;
  readonly hasOwnTime?: boolean;
  readonly roundTripMs: number | null;
  readonly values: readonly PointValue[];
}

/** `exception` is a refusal by the device; its number is in the detail. */
const FAILURE_CODES = [
  'timeout',
  'connection_refused',
  'connection_lost',
  'not_resolved',
  'exception',
  'wrong_unit',
  'malformed',
  'no_data',
  'not_authorized',
  'driver_missing',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

export interface ReadFailure {
  readonly code: FailureCode;
  readonly detail: string;
  /** The points that are stale from now on. */
  readonly points: readonly string[];
}

export interface DriverEvents {
  sample(sample: Sample): void;
  /** A read failed: its points are stale from now on, and no old value is repeated. */
  failed(deviceId: string, failure: ReadFailure): void;
}

export interface DeviceHealth {
  readonly deviceId: string;
  /** The state is `waiting` until the device was asked, or sent something, for the first time. */
  readonly state: 'answering' | 'silent' | 'waiting';
  readonly lastAnswerMs: number | null;
  readonly roundTripMs: number | null;
  /** While the breaker is open, the device is asked only at `nextTryMs`. */
  readonly breaker: { readonly open: boolean; readonly nextTryMs: number | null; readonly failures: number };
  readonly lastFailure: (ReadFailure & { readonly atMs: number }) | null;
  readonly counters: {
    readonly requests: number;
    readonly failures: number;
    readonly timeouts: number;
    /** The number of polls that were left out because the previous one was still under way, or the breaker was open. */
    readonly skipped: number;
    readonly latenessMsMax: number;
  };
}

/** Reads the devices of one protocol; nothing is written to a field device. */
export interface Driver {
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): readonly DeviceHealth[];
}

/** A device of the site file with its mapping, which was checked. */
export interface AttachedDevice {
  readonly id: string;
  readonly mapping: Mapping;
  /** The endpoint, such as `tcp://10.0.4.20:502`. */
  readonly endpoint: string;
  readonly unit: number | null;
  /** The other fields of the device in the site file, such as `every`. */
  readonly options: Readonly<Record<string, unknown>>;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface DriverParts {
  readonly now: () => number;
  /** Returns the login for an endpoint, from the secrets of the bridge; `null` if there is none. */
  readonly credentials: (endpoint: string) => Credentials | null;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Keeps the totals of counters over a restart of the bridge; without it, totals begin again. */
  readonly totals?: Totals;
}

/** The last total of each counter, by a name that also identifies how the counter is read. */
interface Totals {
  totalOf(counter: string): Total | null;
  keepTotal(counter: string, total: Total): void;
}

export interface DriverModule {
  readonly makeDriver: (
    devices: readonly AttachedDevice[],
    events: DriverEvents,
    parts: DriverParts,
  ) => Driver;
  /** Reads a device once, for `granary bridge test`; it is missing if devices send without being asked. */
  readonly readOnce?: (device: AttachedDevice, parts: DriverParts) => Promise<Sample>;
}

/** Returns what the entry of a device lacks, according to its driver. */
export type DeviceFaults = (device: AttachedDevice) => readonly string[];
