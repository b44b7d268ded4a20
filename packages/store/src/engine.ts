import type { WriteCall } from './slices.ts';
import type { Sql } from './sql.ts';

/** Writes that may wait at once; more are refused, so that a stuck disk cannot fill the memory. */
export const WRITES_PENDING_MAX = 1_024;

/** How long to wait for a lock or a connection before the storage counts as unavailable. */
export const WAIT_MS_MAX = 5_000;

/** What a database must offer to carry the slices. */
export interface Engine {
  readonly reader: Sql;
  /** Runs a write whole in one transaction and answers when it is on disk. */
  write(call: WriteCall): Promise<unknown>;
  /** Rejects when reads or writes would fail. */
  health(): Promise<void>;
  close(): Promise<void>;
}
