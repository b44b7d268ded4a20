import type { MessagePort } from 'node:worker_threads';
import type { RequestTime } from '@granary/common/request-time';
import type { Announcements } from './announcements.ts';
import type { Sql } from './sql.ts';

/** A call of a use case by name; its arguments are structured clones, because another thread may run it. */
export interface UseCaseCall {
  readonly slice: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** The idempotency key, which the engines pass on unchanged. */
  readonly idempotency: unknown;
  /** The attempt of the caller, which the engines pass on unchanged. */
  readonly attempt: unknown;
}

/** The use cases that an engine runs. */
export interface UseCases {
  /** Tells whether a call is a write that nobody waits for and that may remove many rows: such a write may take longer than others. */
  readonly isLong: (call: UseCaseCall) => boolean;
  /** The module of a thread that runs the writer of SQLite with these use cases. */
  readonly threadUrl: URL;
  readonly callUseCase: (sql: Sql, call: UseCaseCall) => Promise<unknown>;
}

/** Writes that may wait at the same time; more are refused, so that a disk that hangs cannot fill the memory. */
export const WRITES_PENDING_MAX = 1_024;

/** A read or write that takes longer than this fails; all calls that are given the time of one request also share that time. */
export const CALL_MS_MAX = 4_000;
/** A long write that takes longer than this fails. */
export const LONG_CALL_MS_MAX = 60_000;

/** How long to wait for a lock; shorter than the limit of a call, so that the error names the reason. */
export const WAIT_MS_MAX = 3_000;

/** The time for all calls that a service still makes when it ends. Readings that are not stored by then were not acknowledged. */
export const FINISH_MS_MAX = 5_000;

/** The work of an engine since it was opened. */
export interface EngineFigures {
  /** Transactions of the database; with SQLite one may hold many writes. */
  readonly commits: number;
  readonly pendingWrites: number;
}

/** A connection for one purpose, which does not wait for other calls. */
export interface SeparateConnection {
  /** The statements form a transaction only if they begin one. */
  use<T>(work: (sql: Sql) => Promise<T>, limitMs?: number): Promise<T>;
}

/** The functions that a database must provide to run use cases. */
export interface Engine {
  readonly reader: Sql;
  /** The same reads for one request; they fail when its time is over. */
  readerWithin(time: RequestTime): Sql;
  /** Runs a write in one transaction and resolves when it is on disk. The time is that of the request that waits for it; `null` without one. */
  write(call: UseCaseCall, time?: RequestTime | null): Promise<unknown>;
  /** Does the same for calls that must not wait for other work, such as a stop. */
  readonly urgent: Pick<Engine, 'reader' | 'write'>;
  /** `null` if no other process can use the database. */
  readonly announcements: Announcements | null;
  /** `null` if no other process can use the database. */
  readonly separateConnection: SeparateConnection | null;
  /** Rejects when reads or writes would fail. */
  health(): Promise<void>;
  /** Limits all further calls to `FINISH_MS_MAX` together: the service is about to end, and a frozen database must not delay that. */
  finishSoon(): void;
  close(): Promise<void>;
  figures(): EngineFigures;
  /** Opens a channel for another thread that writes directly; `null` if writes do not run in a thread of this process. */
  readonly openWriterPort: (() => MessagePort) | null;
}
