import { PAGE_LIMIT_MAX, type Page, type PageQuery, type Success } from '@granary/contract/envelope';
import { Refusal } from '@granary/contract/errors';
import type { Checker } from '@granary/contract/input/schema';

export const success = <T>(data: T): Success<T> => ({ success: true, data });

/** The value if it fits its schema, else a refusal that names every fault. */
export function accept<Value>(checker: Checker<Value>, value: unknown, what: string): Value {
  if (checker.accepts(value)) return value;
  throw new Refusal('invalid_input', `the ${what} is not valid`, checker.faults(value));
}

export interface PageRequest {
  readonly limit: number;
  /** The last key of the page before; `null` at the start. */
  readonly after: string | null;
}

export function pageOf({ limit, cursor }: PageQuery): PageRequest {
  return {
    limit: readLimit(limit, PAGE_LIMIT_MAX),
    after: cursor === undefined ? null : readCursor(cursor),
  };
}

/** How many are wanted: `max` unless somebody says fewer. */
export function readLimit(text: string | undefined, max: number): number {
  const limit = Number(text ?? max);
  if (limit >= 1 && limit <= max) return limit;
  const message = `must be a whole number from 1 to ${max}`;
  throw new Refusal('invalid_input', 'the query is not valid', [{ path: '/limit', message }]);
}

const KEY_OF_PAGE = /^[\w-]+$/;

function readCursor(text: string): string {
  const after = Buffer.from(text, 'base64url').toString();
  if (KEY_OF_PAGE.test(after) && writeCursor(after) === text) return after;
  throw badCursor();
}

/** For a cursor that has another form than those of this list. */
export const badCursor = (): Refusal =>
  new Refusal('invalid_input', 'the query is not valid', [
    { path: '/cursor', message: 'must be a next_cursor of an earlier answer' },
  ]);

const writeCursor = (after: string): string => Buffer.from(after).toString('base64url');

/** Ask the store for one more than `limit`: its presence says that there is a next page. */
export function paged<T, U>(
  rows: readonly T[],
  { limit }: PageRequest,
  keyOf: (row: T) => string,
  show: (row: T) => U,
): Page<U> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    success: true,
    data: shown.map(show),
    page: { next_cursor: hasMore ? writeCursor(keyOf(last)) : null },
  };
}
