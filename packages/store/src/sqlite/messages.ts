import { type ErrorCode, Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
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

/** A port is that of another thread, which sends jobs over it. */
export type Request = Job | WriterPort | 'close';

export type Outcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };

/** Each port has its own range of ids, so that an outcome tells to which port it belongs; the main thread has number 0. */
export const IDS_PER_PORT = 2 ** 40;
export const portNumberOf = ({ id }: Pick<Job, 'id'>): number => Math.floor(id / IDS_PER_PORT);

/** Errors lose their class between threads, so they are sent as data. */
export type Failure =
  | {
      readonly refusal: ErrorCode;
      readonly message: string;
      readonly details: readonly ValidationIssue[] | undefined;
      readonly cause: unknown;
    }
  | { readonly refusal: null; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): Failure {
  if (error instanceof Refusal) {
    return { refusal: error.code, message: error.message, details: error.details, cause: error.cause };
  }
  if (error instanceof Error) return { refusal: null, message: error.message, stack: error.stack };
  return { refusal: null, message: String(error), stack: undefined };
}

export function unpackError(failure: Failure): Error {
  if (failure.refusal !== null) {
    const { refusal, message, details, cause } = failure;
    return new Refusal(refusal, message, details, { cause });
  }
  const error = new Error(failure.message);
  if (failure.stack !== undefined) error.stack = failure.stack;
  return error;
}
