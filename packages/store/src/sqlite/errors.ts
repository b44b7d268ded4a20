import { Refusal } from '@granary/contract/errors';
import { codeOf, storageFull, storageUnavailable } from '../errors.ts';

const BUSY = 5;
const LOCKED = 6;
const NO_MEMORY = 7;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
const TAKEN_PRIMARY_KEY = 1_555;

/** The code of a WAL index that cannot grow, which also means that the disk is full. */
const IO_ERROR_SHARED_MEMORY_SIZE = 4_874;

const REASONS: ReadonlyMap<number, string> = new Map([
  [BUSY, 'it is locked by another process'],
  [LOCKED, 'it is locked by another process'],
  [NO_MEMORY, 'out of memory'],
  [READ_ONLY, 'it is read-only'],
  [IO_ERROR, 'the disk reports an error'],
  [CORRUPT, 'it is damaged'],
  [FULL, 'the disk is full'],
  [CANNOT_OPEN, 'it cannot be opened or created'],
  [NOT_A_DATABASE, 'it is not a database'],
]);

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** The low byte of an extended code is the primary code. */
const plain = (code: number): number => code & 0xff;

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && plain(code) === BUSY;
}

export const isTakenKey = (error: unknown): boolean => resultCode(error) === TAKEN_PRIMARY_KEY;

export function reasonOf(error: unknown): string {
  const code = resultCode(error);
  const known = code === undefined ? undefined : REASONS.get(plain(code));
  return known ?? (error instanceof Error ? error.message : String(error));
}

/** Turns errors of the disk into refusals; an error in the SQL of the service stays a fault. */
export function translate(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  if (codeOf(error) === 'ERR_INVALID_STATE') return storageUnavailable('it is closed');
  const code = resultCode(error);
  if (code === undefined) return error;
  if (plain(code) === FULL || code === IO_ERROR_SHARED_MEMORY_SIZE) return storageFull();
  return REASONS.has(plain(code)) ? storageUnavailable(reasonOf(error)) : error;
}
