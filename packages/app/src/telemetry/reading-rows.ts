import type { Reading } from '@granary/core/telemetry/readings';
import type { BulkTarget, NumberRow, Sql } from '@granary/store/sql';

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
