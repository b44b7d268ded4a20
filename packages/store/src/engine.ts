import type { MessagePort } from 'node:worker_threads';
import type { Announcements } from './announcements.ts';
import type { Sql } from './sql.ts';

/** A call of a use case by name; its arguments are structured clones, because another thread may run it. */
export interface UseCaseCall {
  readonly slice: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** The idempotency key, which the engines pass on unchanged. */
  readonly idempotency: unknown;
  /** Who asks for the change, passed on like the idempotency key. */
  readonly attempt: unknown;
}

/** The use cases that an engine runs. */
export interface UseCases {
  /** A write that nobody waits for and that may remove many rows: it may take longer than others. */
  readonly isLong: (call: UseCaseCall) => boolean;
  /** The module of a thread that runs the writer of SQLite with these use cases. */
  readonly threadUrl: URL;
  readonly callUseCase: (sql: Sql, call: UseCaseCall) => Promise<unknown>;
}

/** Writes that may wait at the same time; more are refused, so that a disk that hangs cannot fill the memory. */
export const WRITES_PENDING_MAX = 1_024;

/** A read or write that takes longer fails; all those of a request together have the time in `request-time.ts`. */
export const CALL_MS_MAX = 4_000;
/** The same for a write that may take long. */
export const LONG_CALL_MS_MAX = 60_000;

/** How long to wait for a lock; shorter than the limit of a call, so that the error names the reason. */
export const WAIT_MS_MAX = 3_000;

/** For all calls that a service still makes when it ends; readings that are not stored then were not acknowledged. */
export const FINISH_MS_MAX = 5_000;

/** The work of an engine since it was opened. */
export interface EngineFigures {
  /** Transactions of the database; with SQLite one may hold many writes. */
  readonly commits: number;
  readonly pendingWrites: number;
}

/** The end of a channel between the writer and another thread than the main one, and the number of the channel. */
export interface WriterPort {
  readonly port: MessagePort;
  readonly number: number;
}

/** A connection for one purpose, which does not wait for other calls. */
export interface SeparateConnection {
  /** The statements are no transaction unless they begin one. */
  use<T>(work: (sql: Sql) => Promise<T>, limitMs?: number): Promise<T>;
}

/** The functions that a database must provide to run use cases. */
export interface Engine {
  readonly reader: Sql;
  /** Runs a write in one transaction and resolves when it is on disk. */
  write(call: UseCaseCall): Promise<unknown>;
  /** The same for calls that must not wait for other work, such as a stop. */
  readonly urgent: Pick<Engine, 'reader' | 'write'>;
  /** `null` where no other process can use the database. */
  readonly announcements: Announcements | null;
  /** `null` where no other process can use the database. */
  readonly separateConnection: SeparateConnection | null;
  /** Rejects when reads or writes would fail. */
  health(): Promise<void>;
  /** The service is about to end, and a frozen database must not hold that up: calls have `FINISH_MS_MAX` together. */
  finishSoon(): void;
  close(): Promise<void>;
  figures(): EngineFigures;
  /** Lets another thread write without passing through this one; `null` where no thread of this process writes. */
  readonly openWriterPort: (() => WriterPort) | null;
}
