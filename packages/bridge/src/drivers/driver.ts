import type { Mapping } from '../mapping/mapping.ts';
import type { Total } from '../mapping/totals.ts';
import type { PointValue } from '../mapping/value.ts';

export type { PointValue } from '../mapping/value.ts';

/** All values of one read or one message of a device. */
export interface Sample {
  readonly deviceId: string;
  /** The device's own time where it says one, otherwise that of the bridge. */
  readonly atMs: number;
  readonly hasOwnTime?: boolean;
  readonly roundTripMs: number | null;
  readonly values: readonly PointValue[];
}

/** `exception` is a refusal by the device, with its number in the detail. */
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
  /** `waiting` until the device was asked, or said something, for the first time. */
  readonly state: 'answering' | 'silent' | 'waiting';
  readonly lastAnswerMs: number | null;
  readonly roundTripMs: number | null;
  /** While it is open the device is asked only at `nextTryMs`. */
  readonly breaker: { readonly open: boolean; readonly nextTryMs: number | null; readonly failures: number };
  readonly lastFailure: (ReadFailure & { readonly atMs: number }) | null;
  readonly counters: {
    readonly requests: number;
    readonly failures: number;
    readonly timeouts: number;
    /** Polls that were left out because the one before them was still under way, or the breaker was open. */
    readonly skipped: number;
    readonly latenessMsMax: number;
  };
}

/** The devices of one protocol. Nothing is written to a field device. */
export interface Driver {
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): readonly DeviceHealth[];
}

/** A device of the site file with its mapping, which was checked. */
export interface AttachedDevice {
  readonly id: string;
  readonly mapping: Mapping;
  /** Such as `tcp://10.0.4.20:502`. */
  readonly endpoint: string;
  readonly unit: number | null;
  /** What the site file says beyond that, such as `every`. */
  readonly options: Readonly<Record<string, unknown>>;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface DriverParts {
  readonly now: () => number;
  /** The login for an endpoint, from the secrets of the bridge; `null` where there is none. */
  readonly credentials: (endpoint: string) => Credentials | null;
  readonly log: (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Keeps the totals of counters over a restart of the bridge; without it they begin anew. */
  readonly totals?: Totals;
}

/** The last total of each counter, by a name that also says how it is read. */
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
  /** For `granary bridge test`: one read of a device now. Missing where devices speak by themselves. */
  readonly readOnce?: (device: AttachedDevice, parts: DriverParts) => Promise<Sample>;
}
