import { Refusal } from '@granary/contract/errors';
import { codeOf, outcomeUnknown, storageFull, storageUnavailable } from '../errors.ts';
import { TimeLimitError } from './connections.ts';
import { OutcomeUnknownError } from './transaction.ts';

const DISK_FULL = '53100';
const BAD_TEXT = '22021';

/** The codes of conflicts between two transactions; when they are repeated one after the other, both succeed. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01']);

/** The code of an insert whose key exists already. */
const REPEATED_KEY = '23505';

/** The code of an insert into a partition that another node has dropped meanwhile. */
const NO_PARTITION = '23514';

/**
 * Codes of lost connections, shutdowns, missing connections, waits that took too long (a lock, a statement or a pause in a
 * transaction), and of a read-only standby.
 */
const UNAVAILABLE = /^(08...|57P0.|57014|53...|55P03|25006|25P03|E[A-Z]+)$/;

/** The client library sets no code for these errors. */
const CONNECTION_TIME_LIMIT = /^(timeout exceeded|Connection terminated due to connection timeout)/;
const UNAVAILABLE_MESSAGE =
  /^(timeout exceeded|Connection terminated|Client has encountered|Cannot use a pool|Query read timeout|Client was closed)/;

export function isConflict(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && CONFLICTS.has(code);
}

export const isRepeatedKey = (error: unknown): boolean => codeOf(error) === REPEATED_KEY;

export const isMissingPartition = (error: unknown): boolean => codeOf(error) === NO_PARTITION;

/** Returns whether the server did not answer in time, or there was no connection to it in time. */
export const isTimeLimit = (error: unknown): boolean =>
  error instanceof TimeLimitError || (error instanceof Error && CONNECTION_TIME_LIMIT.test(error.message));

/** Turns errors of the server into refusals; an error in the SQL of the service stays a fault. */
export function translate(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  if (error instanceof OutcomeUnknownError) return outcomeUnknown(reasonOf(error.cause), { cause: error });
  if (error instanceof TimeLimitError) return storageUnavailable(reasonOf(error));
  const code = codeOf(error);
  if (code === DISK_FULL) return storageFull();
  if (code === BAD_TEXT)
    return new Refusal('invalid_input', 'a text holds a character that cannot be stored');
  if (code !== undefined ? UNAVAILABLE.test(code) : UNAVAILABLE_MESSAGE.test(error.message)) {
    return storageUnavailable(reasonOf(error), { cause: error });
  }
  return error;
}

/** Returns the reason of an error; a refused connection is an aggregate error without a message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || codeOf(error) || 'unknown reason';
}
