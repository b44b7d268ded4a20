import type { Reading } from '@granary/core/telemetry/readings';
import { decodeChunk } from '../../chunks/chunk-codec.ts';
import type { Sql } from '../../sql.ts';
import type { RawRow } from './raw-row.ts';
import { chunkedUntilMs, firstChunkFrom } from './reading-chunks.ts';

/** The values of readings that are in chunks, by the position of the reading in the list. */
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
