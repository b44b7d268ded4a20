import type { PackedError } from '@granary/contract/errors';
import type { UseCaseCall, WriterPort } from '../engine.ts';

/** A request to the writer thread; one without a call only checks that the writer works. */
export interface Job {
  readonly id: number;
  readonly call: UseCaseCall | null;
  /** Urgent requests run before the others. */
  readonly isUrgent: boolean;
  /** After this time the caller no longer waits, so the request is not started. */
  readonly expiresAtMs: number;
}

/** A message to the writer: a job, a port over which another thread sends jobs, or the request to close. */
export type Request = Job | WriterPort | 'close';

export type Outcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: PackedError };

/** Each port has its own range of ids, so that an outcome tells to which port it belongs; the main thread has number 0. */
export const IDS_PER_PORT = 2 ** 40;
export const portNumberOf = ({ id }: Pick<Job, 'id'>): number => Math.floor(id / IDS_PER_PORT);
