import { DAY_MS } from '@granary/contract/time';
import { decodeChunk } from '@granary/store/chunks/chunk-codec';
import type { Sql } from '@granary/store/sql';
import {
  addChunk,
  lastChunkUntil,
  nextChunkMs,
  type ReadingChunk,
  removeChunk,
  tryLockChunks,
} from './chunk-rows.ts';
import { joinRows, type RawRow } from './raw-row.ts';
import { takeReadings, timeAfterReadings } from './reading-rows.ts';

/** A chunk of this many rows is encoded or decoded in a few milliseconds; longer chunks need hardly fewer bytes for each row. */
export const ROWS_PER_CHUNK_MAX = 4_000;
/** Chunks with fewer rows are continued by the next rows of the day. */
const SMALL_CHUNK_ROWS = ROWS_PER_CHUNK_MAX / 2;
/** The number of rows that may be added at once even to a full chunk. */
const ROWS_ADDED_MIN = ROWS_PER_CHUNK_MAX / 4;

export interface CompressedPart {
  /** The rows that are in a chunk now. */
  readonly rows: number;
  /** The time from which on rows may be left; `null` when there are none. */
  readonly nextMs: number | null;
}

/**
 * Moves the oldest rows before a time into a chunk, at most as many as one chunk has. Rows of a time for which there is a
 * chunk, because they arrived late, are added to it. A chunk has rows of one day (UTC) only. Nothing is done, and rows are
 * left, while another node has the lock.
 */
export async function compressReadings(sql: Sql, beforeMs: number): Promise<CompressedPart> {
  if (!(await tryLockChunks(sql))) return { rows: 0, nextMs: 0 };
  const fromMs = await oldestRowMs(sql, beforeMs);
  if (fromMs === null) return { rows: 0, nextMs: null };
  const chunk = await chunkToContinue(sql, fromMs);
  const toMs = await endOfPart(sql, fromMs, beforeMs, chunk);
  const rows = await takeReadings(sql, fromMs, toMs);
  if (chunk !== undefined) await removeChunk(sql, chunk);
  const all = chunk === undefined ? rows : joinRows(decodeChunk(chunk.body), rows);
  for (const part of inParts(all)) await addChunk(sql, part);
  return { rows: rows.length, nextMs: toMs };
}

async function oldestRowMs(sql: Sql, beforeMs: number): Promise<number | null> {
  const [row] = await sql.query<{ oldestMs: number | null }>(
    'SELECT MIN(ts_ms) AS oldest_ms FROM readings WHERE ts_ms < $1',
    [beforeMs],
  );
  return row?.oldestMs ?? null;
}

const dayOf = (tsMs: number): number => Math.floor(tsMs / DAY_MS);

/** Returns the chunk that the row belongs to, or a small chunk of the same day before it. */
async function chunkToContinue(sql: Sql, fromMs: number): Promise<ReadingChunk | undefined> {
  const chunk = await lastChunkUntil(sql, fromMs);
  if (chunk === undefined || chunk.lastMs >= fromMs) return chunk;
  const isOfSameDay = dayOf(chunk.firstMs) === dayOf(fromMs);
  return isOfSameDay && chunk.readings < SMALL_CHUNK_ROWS ? chunk : undefined;
}

/** Returns the end of the rows to move. Rows of one time are never divided, so chunks do not overlap. */
async function endOfPart(
  sql: Sql,
  fromMs: number,
  beforeMs: number,
  chunk: ReadingChunk | undefined,
): Promise<number> {
  const nextMs = await nextChunkMs(sql, fromMs);
  const toMs = Math.min(beforeMs, (dayOf(fromMs) + 1) * DAY_MS, nextMs ?? beforeMs);
  const rowsMax = Math.max(ROWS_PER_CHUNK_MAX - (chunk?.readings ?? 0), ROWS_ADDED_MIN);
  const endMs = await timeAfterReadings(sql, fromMs, toMs, rowsMax);
  return endMs === null ? toMs : Math.max(endMs, fromMs + 1);
}

/** Divides rows into parts of equal length, as few as possible. */
function inParts(rows: readonly RawRow[]): RawRow[][] {
  const size = Math.ceil(rows.length / Math.ceil(rows.length / ROWS_PER_CHUNK_MAX));
  const parts: RawRow[][] = [];
  for (const row of rows) {
    const part = parts.at(-1);
    const isFull = part !== undefined && part.length >= size && part.at(-1)?.[0] !== row[0];
    if (part === undefined || isFull) parts.push([row]);
    else part.push(row);
  }
  return parts;
}
