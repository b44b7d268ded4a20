import { Readable } from 'node:stream';
import { PAGE_LIMIT_MAX, type Page, type PageQuery, type Success } from '@granary/contract/envelope';
import { Refusal } from '@granary/contract/errors';
import type { Checker } from '@granary/contract/input/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextPart } from '../access/request-turns.ts';

const KEY_OF_PAGE = /^[\w-]+$/;
/** The number of rows in one read of a list. A read takes a few milliseconds, which is what a stop may wait for it. */
const ROWS_PER_READ = 100;
/** The number of rows of a list that an answer may pass over because the caller may not see them. */
export const PASSED_OVER_MAX = 500;
/** An ETag of another form cannot be current; 0 is never a version. */
const NEVER_CURRENT = 0;
/** A larger body is sent in parts, each when the caller has read the one before and it is the turn of the caller. */
const PART_BYTES = 64 * 1024;

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

/** The number of wanted rows: `max` unless the query says fewer. */
export function readLimit(text: string | undefined, max: number): number {
  const limit = Number(text ?? max);
  if (limit >= 1 && limit <= max) return limit;
  const message = `must be a whole number from 1 to ${max}`;
  throw new Refusal('invalid_input', 'the query is not valid', [{ path: '/limit', message }]);
}

function readCursor(text: string): string {
  const after = Buffer.from(text, 'base64url').toString();
  if (KEY_OF_PAGE.test(after) && writeCursor(after) === text) return after;
  throw badCursor();
}

/** The refusal of a cursor whose form is not that of the cursors of this list. */
export const badCursor = (): Refusal =>
  new Refusal('invalid_input', 'the query is not valid', [
    { path: '/cursor', message: 'must be a next_cursor of an earlier answer' },
  ]);

const writeCursor = (after: string): string => Buffer.from(after).toString('base64url');

/**
 * Reads a page of a list, in as many reads as its length needs. `read` gets the key after which it reads and a number of rows. That
 * is one more than is shown, because the presence of a further row says that there is a next page.
 */
export async function readPage<T, U>(
  request: FastifyRequest,
  { limit, after }: PageRequest,
  read: (after: string | null, limit: number) => Promise<readonly T[]>,
  keyOf: (row: T) => string,
  show: (row: T) => U,
): Promise<Page<U>> {
  const data: U[] = [];
  let lastKey = after;
  for (;;) {
    const wanted = Math.min(ROWS_PER_READ, limit - data.length);
    const rows = await read(lastKey, wanted + 1);
    // The database may have answered several readers in this turn.
    await nextPart(request);
    for (const row of rows.slice(0, wanted)) {
      data.push(show(row));
      lastKey = keyOf(row);
    }
    const hasMore = rows.length > wanted && lastKey !== null;
    if (!hasMore || data.length >= limit) {
      return { success: true, data, page: { next_cursor: hasMore ? writeCursor(lastKey ?? '') : null } };
    }
  }
}

/**
 * Reads a page of a list of which the caller may not see some rows. The page may hold fewer rows than wanted, or none, and still have a
 * cursor: the number of rows that one answer passes over is limited, so that its cost does not grow with what is stored.
 */
export async function readShownPage<T, U>(
  request: FastifyRequest,
  { limit, after }: PageRequest,
  read: (after: string | null, limit: number) => Promise<readonly T[]>,
  keyOf: (row: T) => string,
  isShown: (row: T) => boolean,
  show: (row: T) => U,
): Promise<Page<U>> {
  const data: U[] = [];
  let lastKey = after;
  let passedOver = 0;
  for (;;) {
    const rows = await read(lastKey, ROWS_PER_READ);
    await nextPart(request);
    for (const row of rows) {
      const isFull = data.length === limit && isShown(row);
      if ((isFull || passedOver === PASSED_OVER_MAX) && lastKey !== null) {
        return { success: true, data, page: { next_cursor: writeCursor(lastKey) } };
      }
      if (isShown(row)) data.push(show(row));
      else passedOver++;
      lastKey = keyOf(row);
    }
    if (rows.length < ROWS_PER_READ) return { success: true, data, page: { next_cursor: null } };
  }
}

export const tag = (reply: FastifyReply, version: number): void => void reply.header('etag', `"${version}"`);

/** The version in `If-Match`; `undefined` when the caller accepts any. */
export function expectedVersion({ headers }: FastifyRequest): number | undefined {
  const header = headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (!/^(W\/)?"[^"]*"$/.test(header)) {
    throw new Refusal('invalid_input', 'If-Match must hold an entity tag', [
      { path: '/if-match', message: 'must be * or one quoted entity tag' },
    ]);
  }
  const version = /^"(\d{1,15})"$/.exec(header)?.[1];
  return version === undefined ? NEVER_CURRENT : Number(version);
}

/** Sends bytes that many answers share. A caller who reads slowly needs the memory of one part. */
export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (bytes.length <= PART_BYTES) return reply.send(bytes);
  reply.header('content-length', bytes.length);
  const parts = partsOf(reply.request, bytes);
  return reply.send(Readable.from(parts, { objectMode: false, highWaterMark: PART_BYTES }));
}

async function* partsOf(request: FastifyRequest, bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    await nextPart(request);
    yield bytes.subarray(start, start + PART_BYTES);
  }
}
