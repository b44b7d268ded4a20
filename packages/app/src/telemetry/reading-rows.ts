import type { Reading } from '@granary/core/telemetry/readings';
import type { BulkTarget, NumberRow, Sql } from '@granary/store/sql';
import { inOrder, type RawRow } from './raw-row.ts';

const READINGS: BulkTarget = {
  table: 'readings',
  key: ['ts_ms', 'device_no', 'sensor_group'],
  columns: ['ts_ms', 'device_no', 'sensor_group', 'a', 'b', 'c', 'bad_mask'],
  isUsuallyNew: true,
};

const FILL = [
  ...['a', 'b', 'c'].map((slot) => `${slot} = COALESCE(readings.${slot}, excluded.${slot})`),
  'bad_mask = NULLIF(COALESCE(readings.bad_mask, 0) | COALESCE(excluded.bad_mask, 0), 0)',
].join(', ');

/** Inserts the readings with a new device, time and group, and returns the positions of the others. */
export const insertReadings = (sql: Sql, readings: readonly Reading[]): Promise<number[]> =>
  sql.insertNew(READINGS, readings.map(toRow));

type StoredValues = Pick<Reading, 'a' | 'b' | 'c'>;

const NOTHING: StoredValues = { a: null, b: null, c: null };

/** The stored values of each of these readings, locked until the end of the transaction. */
export async function lockReadings(sql: Sql, readings: readonly Reading[]): Promise<StoredValues[]> {
  const stored = new Map<string, StoredValues>();
  const keys = readings.map(({ tsMs, deviceNo, group }) => [tsMs, deviceNo, group]);
  for (const row of await sql.lockMany<(number | null)[]>(READINGS, keys)) {
    const [tsMs, deviceNo, group, a = null, b = null, c = null] = row;
    stored.set(`${tsMs} ${deviceNo} ${group}`, { a, b, c });
  }
  return readings.map(({ tsMs, deviceNo, group }) => stored.get(`${tsMs} ${deviceNo} ${group}`) ?? NOTHING);
}

/** Adds to stored readings the values that they do not have. */
export const addMissingValues = (sql: Sql, parts: readonly Reading[]): Promise<void> =>
  sql.upsertMany({ ...READINGS, update: FILL }, parts.map(toRow));

function toRow({ tsMs, deviceNo, group, a, b, c, badMask }: Reading): NumberRow {
  const mask = badMask === 0 ? null : badMask;
  return [tsMs, deviceNo, group, a, b, c, mask];
}

/**
 * Removes the raw readings of a time range, which ends before `toMs`, and returns them in their order. The statement that removes
 * them returns what it has removed, so a row that was stored in between is not lost.
 */
export async function takeReadings(sql: Sql, fromMs: number, toMs: number): Promise<RawRow[]> {
  const isInRange = 'ts_ms >= $1 AND ts_ms < $2';
  if (!sql.hasOneWriter) {
    // Locked in the order of their keys, as by every other write.
    await sql.run(
      `SELECT COUNT(*) FROM (
         SELECT 1 FROM readings WHERE ${isInRange} ORDER BY ts_ms, device_no, sensor_group FOR UPDATE
       ) AS locked`,
      [fromMs, toMs],
    );
  }
  // Arrays, because these are the rows of the chunk codec.
  const rows = await sql.queryArrays<RawRow>(
    `DELETE FROM readings WHERE ${isInRange} RETURNING ts_ms, device_no, sensor_group, a, b, c, bad_mask`,
    [fromMs, toMs],
  );
  return inOrder(rows);
}

/** Removes a limited number of raw readings before a time, or those of a day, and returns how many; 0 when none are left. */
export async function dropReadings(sql: Sql, beforeMs: number, rowsMax: number): Promise<number> {
  if (sql.partitions !== null) return await sql.partitions.dropOldest(beforeMs);
  return await sql.run(
    `DELETE FROM readings WHERE (ts_ms, device_no, sensor_group) IN (
       SELECT ts_ms, device_no, sensor_group FROM readings WHERE ts_ms < $1
       ORDER BY ts_ms, device_no, sensor_group LIMIT $2
     )`,
    [beforeMs, rowsMax],
  );
}
