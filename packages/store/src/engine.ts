import type { Sql } from './sql.ts';

/** A use case by name, as it crosses to the thread that carries it out. Its arguments survive a structured clone. */
export interface UseCaseCall {
  readonly slice: string;
  readonly name: string;
  readonly args: readonly unknown[];
  /** What makes a repeated request have no further effect; the engines pass it on unread. */
  readonly idempotency: unknown;
}

/** What an engine is given to carry out. */
export interface UseCases {
  /** The module that exports this same function as `callUseCase`: another thread loads it from there. */
  readonly moduleUrl: string;
  readonly callUseCase: (sql: Sql, call: UseCaseCall) => Promise<unknown>;
}

/** Writes that may wait at once; more are refused, so that a stuck disk cannot fill the memory. */
export const WRITES_PENDING_MAX = 1_024;

/** A read or write that takes longer is given up: every request is then answered within five seconds. */
export const CALL_MS_MAX = 4_000;

/** How long to wait for a lock; less than a call may take, so that the database itself says why it failed. */
export const WAIT_MS_MAX = 3_000;

/** What a database must offer to carry out use cases. */
export interface Engine {
  readonly reader: Sql;
  /** Runs a write whole in one transaction and answers when it is on disk. */
  write(call: UseCaseCall): Promise<unknown>;
  /** The same for what must not wait behind other work, such as a stop. */
  readonly urgent: Pick<Engine, 'reader' | 'write'>;
  /** Rejects when reads or writes would fail. */
  health(): Promise<void>;
  close(): Promise<void>;
}
