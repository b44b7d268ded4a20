import { type ErrorCode, Refusal } from '@granary/contract/errors';
import type { Fault } from '@granary/contract/schema';
import type { WriteCall } from '../slices.ts';

/** What the writer thread is asked for. A job without a call only asks whether the writer is well. */
export interface Job {
  readonly id: number;
  readonly call: WriteCall | null;
}

export type Request = Job | 'close';

export type Outcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

/** Errors lose their class on the way between threads. */
export type Failure =
  | { readonly refusal: ErrorCode; readonly message: string; readonly details: readonly Fault[] | undefined }
  | { readonly refusal: null; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): Failure {
  if (error instanceof Refusal) {
    return { refusal: error.code, message: error.message, details: error.details };
  }
  if (error instanceof Error) return { refusal: null, message: error.message, stack: error.stack };
  return { refusal: null, message: String(error), stack: undefined };
}

export function unpackError(failure: Failure): Error {
  if (failure.refusal !== null) return new Refusal(failure.refusal, failure.message, failure.details);
  const error = new Error(failure.message);
  if (failure.stack !== undefined) error.stack = failure.stack;
  return error;
}
