import type { Reading } from '@granary/core/telemetry/readings';
import { decodeChunk, encodeChunk } from '@granary/store/chunks/chunk-codec';
import type { Sql } from '@granary/store/sql';
import type { RawRow } from './raw-row.ts';

/** A chunk of readings. Chunks never overlap in time; a changed chunk gets a new number. */
export interface ReadingChunk {
  readonly chunkNo: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly readings: number;
  readonly body: Uint8Array;
}

const COLUMNS = 'chunk_no, first_ms, last_ms, readings, body';

/** Locks all chunks, so that only one transaction at a time moves or removes readings of the past. */
export async function lockChunks(sql: Sql): Promise<void> {
  await sql.query(`SELECT last_chunk_no FROM reading_compression ${sql.forUpdate}`);
}

/** Does the same, unless another node has the lock; returns whether this node has it now. */
export async function tryLockChunks(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    `SELECT last_chunk_no FROM reading_compression ${sql.forUpdate} ${sql.skipLocked}`,
  );
  return rows.length > 0;
}

/** Returns the latest time up to which readings were ever put into chunks. */
async function chunkedUntilMs(sql: Sql): Promise<number> {
  const [[untilMs] = []] = await sql.queryArrays<[number]>(
    'SELECT chunked_until_ms FROM reading_compression',
  );
  return untilMs ?? -1;
}

const FIRST_FROM = `FROM reading_chunks WHERE first_ms >= COALESCE((
    SELECT CASE WHEN last_ms >= $1 THEN first_ms END FROM reading_chunks
    WHERE first_ms <= $1 ORDER BY first_ms DESC LIMIT 1), $1)
  ORDER BY first_ms LIMIT 1`;

/** Returns the first chunk that does not end before the time. */
export async function firstChunkFrom(sql: Sql, tsMs: number): Promise<ReadingChunk | undefined> {
  const [row] = await sql.query<ReadingChunk>(`SELECT ${COLUMNS} ${FIRST_FROM}`, [tsMs]);
  return row;
}

/** Returns the time of the last row of the first chunk that does not end before the time. */
export async function endOfFirstChunkFrom(sql: Sql, tsMs: number): Promise<number | null> {
  const [row] = await sql.query<{ lastMs: number }>(`SELECT last_ms ${FIRST_FROM}`, [tsMs]);
  return row?.lastMs ?? null;
}

/** Returns the last chunk that begins at the time or before. */
export async function lastChunkUntil(sql: Sql, tsMs: number): Promise<ReadingChunk | undefined> {
  const [row] = await sql.query<ReadingChunk>(
    `SELECT ${COLUMNS} FROM reading_chunks WHERE first_ms <= $1 ORDER BY first_ms DESC LIMIT 1`,
    [tsMs],
  );
  return row;
}

/** Returns the time at which the first chunk after a time begins. */
export async function nextChunkMs(sql: Sql, tsMs: number): Promise<number | null> {
  const [row] = await sql.query<{ firstMs: number | null }>(
    'SELECT MIN(first_ms) AS first_ms FROM reading_chunks WHERE first_ms > $1',
    [tsMs],
  );
  return row?.firstMs ?? null;
}

export async function removeChunk(sql: Sql, { firstMs }: ReadingChunk): Promise<void> {
  await sql.run('DELETE FROM reading_chunks WHERE first_ms = $1', [firstMs]);
}

/** Adds a chunk with these ordered rows. The caller has locked the chunks. */
export async function addChunk(sql: Sql, rows: readonly RawRow[]): Promise<void> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return;
  await sql.run(
    `UPDATE reading_compression SET last_chunk_no = last_chunk_no + 1,
       chunked_until_ms = CASE WHEN chunked_until_ms < $1 THEN $1 ELSE chunked_until_ms END`,
    [last[0]],
  );
  await sql.run(
    `INSERT INTO reading_chunks (first_ms, last_ms, readings, chunk_no, body)
     SELECT $1, $2, $3, last_chunk_no, $4 FROM reading_compression`,
    [first[0], last[0], rows.length, encodeChunk(rows)],
  );
}

/** Removes the oldest chunks that end before a time, a limited number of them, and returns how many. */
export async function dropChunks(sql: Sql, beforeMs: number, chunksMax: number): Promise<number> {
  return await sql.run(
    `DELETE FROM reading_chunks WHERE first_ms IN (
       SELECT first_ms FROM reading_chunks WHERE first_ms < $1 AND last_ms < $1 ORDER BY first_ms LIMIT $2)`,
    [beforeMs, chunksMax],
  );
}

/** The values of readings that are in chunks; the keys are the positions of the readings in the list. */
export type ChunkedValues = ReadonlyMap<number, Pick<Reading, 'a' | 'b' | 'c'>>;

/**
 * Finds the readings that are in chunks already. The list is ordered by time. Readings after the newest chunk, which nearly
 * all are, cost one short query for all of them together.
 */
export async function chunkedValues(sql: Sql, readings: readonly Reading[]): Promise<ChunkedValues> {
  const found = new Map<number, Pick<Reading, 'a' | 'b' | 'c'>>();
  const untilMs = await chunkedUntilMs(sql);
  for (let position = 0; position < readings.length; ) {
    const { tsMs } = readings[position] ?? { tsMs: Number.POSITIVE_INFINITY };
    const chunk = tsMs > untilMs ? undefined : await firstChunkFrom(sql, tsMs);
    if (chunk === undefined) break;
    const beginning = firstFrom(readings, position, chunk.firstMs);
    position = firstFrom(readings, beginning, chunk.lastMs + 1);
    const inChunk = readings.slice(beginning, position);
    if (inChunk.length === 0) continue;
    const rows = rowsByKey(chunk.body, inChunk);
    for (const [n, { tsMs: ts, deviceNo, group }] of inChunk.entries()) {
      const row = rows.get(`${ts} ${deviceNo} ${group}`);
      if (row !== undefined) found.set(beginning + n, { a: row[3], b: row[4], c: row[5] });
    }
  }
  return found;
}

function firstFrom(readings: readonly Reading[], start: number, fromMs: number): number {
  let position = start;
  while (position < readings.length && (readings[position]?.tsMs ?? 0) < fromMs) position++;
  return position;
}

function rowsByKey(body: Uint8Array, readings: readonly Reading[]): Map<string, RawRow> {
  const wanted = new Set(readings.map(({ deviceNo, group }) => `${deviceNo} ${group}`));
  const rows = decodeChunk(body, (deviceNo, group) => wanted.has(`${deviceNo} ${group}`));
  return new Map(rows.map((row) => [`${row[0]} ${row[1]} ${row[2]}`, row]));
}
