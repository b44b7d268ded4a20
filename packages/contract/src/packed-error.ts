import { type ErrorCode, Refusal } from './errors.ts';
import type { ValidationIssue } from './input/schema.ts';
import type { RefusalMessage } from './sentences/refusals.ts';

/** Errors lose their class between threads, so they are sent as data. */
export type PackedError =
  | {
      readonly refusal: ErrorCode;
      readonly message: string | RefusalMessage;
      readonly details: readonly ValidationIssue[] | undefined;
      readonly cause: unknown;
    }
  | { readonly refusal: null; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): PackedError {
  if (error instanceof Refusal) {
    return {
      refusal: error.code,
      message: error.told ?? error.message,
      details: error.details,
      cause: error.cause,
    };
  }
  if (error instanceof Error) return { refusal: null, message: error.message, stack: error.stack };
  return { refusal: null, message: String(error), stack: undefined };
}

export function unpackError(packed: PackedError): Error {
  if (packed.refusal !== null) {
    const { refusal, message, details, cause } = packed;
    return new Refusal(refusal, message, details, { cause });
  }
  const error = new Error(packed.message);
  if (packed.stack !== undefined) error.stack = packed.stack;
  return error;
}
