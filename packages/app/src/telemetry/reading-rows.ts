import { MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import { ByteList, ByteReader } from '@granary/store/chunks/bytes';
import type { BulkRow, BulkTarget, BulkUpsert, Sql } from '@granary/store/sql';
import type { LastSeenUpdate } from '../presence-rows.ts';
import { inOrder, joinRows, type RawRow } from './raw-row.ts';

/** A row has the readings of a device at one time, of all sensor groups. */
const READINGS: BulkTarget = {
  table: 'readings',
  key: ['ts_ms', 'device_no'],
  columns: ['ts_ms', 'device_no', 'body'],
  bytes: ['body'],
  isUsuallyNew: true,
};
const REPLACED = { ...READINGS, update: 'body = excluded.body' };

type StoredRow = readonly [tsMs: number, deviceNo: number, body: Uint8Array];

/** The bits of a group in a body: which values it has, which of them are negative, and which are bad. */
const NEGATIVE_AT = 3;
const BAD_AT = 6;

/** Rows of readings that are ordered by time, device and group, and where the readings of each row begin. */
function packed(readings: readonly Reading[]): { readonly rows: BulkRow[]; readonly starts: number[] } {
  const bytes = new ByteList(16 * readings.length);
  const rows: BulkRow[] = [];
  const starts: number[] = [];
  for (let next = 0; next < readings.length; ) {
    const { tsMs, deviceNo } = readings[next] as Reading;
    const from = bytes.length;
    starts.push(next);
    let groupBefore = 0;
    for (; next < readings.length; next++) {
      const reading = readings[next] as Reading;
      if (reading.tsMs !== tsMs || reading.deviceNo !== deviceNo) break;
      pushGroup(bytes, reading, groupBefore);
      groupBefore = reading.group;
    }
    rows.push([tsMs, deviceNo, bytes.view(from)]);
  }
  return { rows, starts };
}

function pushGroup(bytes: ByteList, { group, a, b, c, badMask }: Reading, groupBefore: number): void {
  const has = (a === null ? 0 : 1) | (b === null ? 0 : 2) | (c === null ? 0 : 4);
  const isNegative = ((a ?? 0) < 0 ? 1 : 0) | ((b ?? 0) < 0 ? 2 : 0) | ((c ?? 0) < 0 ? 4 : 0);
  bytes.pushNumber(group - groupBefore);
  bytes.pushNumber(has | (isNegative << NEGATIVE_AT) | (badMask << BAD_AT));
  if (a !== null) bytes.pushNumber(Math.abs(a));
  if (b !== null) bytes.pushNumber(Math.abs(b));
  if (c !== null) bytes.pushNumber(Math.abs(c));
}

/** The readings of a stored row, ordered by group. */
export function readingsIn([tsMs, deviceNo, body]: StoredRow): RawRow[] {
  const rows: RawRow[] = [];
  const reader = new ByteReader(body);
  for (let group = 0; !reader.isAtEnd; ) {
    group += reader.nextNumber();
    const bits = reader.nextNumber();
    const next = (slot: number): number | null => {
      if ((bits & (1 << slot)) === 0) return null;
      const number = reader.nextNumber();
      return (bits & (1 << (NEGATIVE_AT + slot))) === 0 ? number : -number;
    };
    const badMask = bits >> BAD_AT;
    rows.push([tsMs, deviceNo, group, next(0), next(1), next(2), badMask === 0 ? null : badMask]);
  }
  return rows;
}

/** Inserts the readings whose device and time are new, and returns the positions of the others. */
export async function insertReadings(sql: Sql, readings: readonly Reading[]): Promise<number[]> {
  const { rows, starts } = packed(readings);
  const taken = await sql.insertNew(READINGS, rows);
  return taken.flatMap((row) => {
    const start = starts[row] ?? 0;
    return Array.from({ length: (starts[row + 1] ?? readings.length) - start }, (_, n) => start + n);
  });
}

type StoredValues = Pick<Reading, 'a' | 'b' | 'c'>;

const NOTHING: StoredValues = { a: null, b: null, c: null };

/** Returns the stored values of each of these readings, and locks their rows until the end of the transaction. */
export async function lockReadings(sql: Sql, readings: readonly Reading[]): Promise<StoredValues[]> {
  const stored = new Map<string, StoredValues>();
  for (const [tsMs, deviceNo, group, a, b, c] of await lockRows(sql, readings)) {
    stored.set(`${tsMs} ${deviceNo} ${group}`, { a, b, c });
  }
  return readings.map(({ tsMs, deviceNo, group }) => stored.get(`${tsMs} ${deviceNo} ${group}`) ?? NOTHING);
}

/** Locks and returns all readings of the devices and times of these readings. */
async function lockRows(sql: Sql, readings: readonly Reading[]): Promise<RawRow[]> {
  const keys = packed(readings).rows.map(([tsMs, deviceNo]) => [Number(tsMs), Number(deviceNo)]);
  return (await sql.lockMany<StoredRow>(READINGS, keys)).flatMap(readingsIn);
}

/** Adds to stored, locked readings the values that they do not have. */
export async function addMissingValues(sql: Sql, parts: readonly Reading[]): Promise<void> {
  if (parts.length === 0) return;
  const whole = joinRows(await lockRows(sql, parts), parts.map(rawRowOf)).map(readingOf);
  await sql.upsertMany(REPLACED, packed(whole).rows);
}

const rawRowOf = ({ tsMs, deviceNo, group, a, b, c, badMask }: Reading): RawRow => [
  tsMs,
  deviceNo,
  group,
  a,
  b,
  c,
  badMask === 0 ? null : badMask,
];

const readingOf = ([tsMs, deviceNo, group, a, b, c, badMask]: RawRow): Reading => ({
  tsMs,
  deviceNo,
  group,
  a,
  b,
  c,
  badMask: badMask ?? 0,
});

/**
 * Removes the raw readings of a time range, which ends before `toMs`, and returns them in their order. The statement that removes
 * them returns what it has removed, so a row that was stored in between is not lost.
 */
export async function takeReadings(sql: Sql, fromMs: number, toMs: number): Promise<RawRow[]> {
  const isInRange = 'ts_ms >= $1 AND ts_ms < $2';
  if (!sql.hasOneWriter) {
    // The rows are locked in the order of their keys, as in every other write.
    await sql.run(
      `SELECT COUNT(*) FROM (
         SELECT 1 FROM readings WHERE ${isInRange} ORDER BY ts_ms, device_no FOR UPDATE
       ) AS locked`,
      [fromMs, toMs],
    );
  }
  const rows = await sql.queryArrays<StoredRow>(
    `DELETE FROM readings WHERE ${isInRange} RETURNING ts_ms, device_no, body`,
    [fromMs, toMs],
  );
  return inOrder(rows.flatMap(readingsIn));
}

/** The estimated size of a sensor group in a body; the values of three sensors are seldom longer. */
const GROUP_BYTES = 16;

/** Returns the time of the row with which a range has more than about `readings` readings; `null` when it has fewer. */
export async function timeAfterReadings(
  sql: Sql,
  fromMs: number,
  toMs: number,
  readings: number,
): Promise<number | null> {
  const [row] = await sql.query<{ endMs: number | null }>(
    `SELECT MIN(ts_ms) AS end_ms FROM (
       SELECT ts_ms, SUM((LENGTH(body) + ${GROUP_BYTES - 1}) / ${GROUP_BYTES}) OVER (ORDER BY ts_ms, device_no) AS readings FROM (
         SELECT ts_ms, device_no, body FROM readings WHERE ts_ms >= $1 AND ts_ms < $2
         ORDER BY ts_ms, device_no LIMIT $3) AS first_rows) AS counted
     WHERE readings > $4`,
    [fromMs, toMs, readings + 1, readings],
  );
  return row?.endMs ?? null;
}

/** Removes a limited number of raw readings before a time, or those of a day, and returns how many; 0 when none are left. */
export async function dropReadings(sql: Sql, beforeMs: number, rowsMax: number): Promise<number> {
  if (sql.partitions !== null) return await sql.partitions.dropOldest(beforeMs);
  return await sql.run(
    `DELETE FROM readings WHERE (ts_ms, device_no) IN (
       SELECT ts_ms, device_no FROM readings WHERE ts_ms < $1 ORDER BY ts_ms, device_no LIMIT $2
     )`,
    [beforeMs, rowsMax],
  );
}

/** A weight that is older than this when it arrives may belong to a time that forecasts have settled. */
const LATE_MS = 30 * MINUTE_MS;

const WEIGHT_GROUP = STANDARD_SENSORS.weight.lane.group;

const LATE: BulkUpsert = {
  table: 'late_readings',
  key: ['device_no'],
  columns: ['device_no', 'from_ms', 'marks'],
  update: `from_ms = CASE WHEN excluded.from_ms < late_readings.from_ms THEN excluded.from_ms ELSE late_readings.from_ms END,
    marks = late_readings.marks + 1`,
};

/** Stores the time since when the history of a device must be read again; usually no reading of a batch is late. */
export async function markLateReadings(
  sql: Sql,
  readings: readonly Reading[],
  seen: readonly LastSeenUpdate[],
): Promise<void> {
  const seenAtMs = new Map(seen.map(({ deviceNo, atMs }) => [deviceNo, atMs]));
  const fromMs = new Map<number, number>();
  for (const { deviceNo, group, tsMs, a } of readings) {
    if (group !== WEIGHT_GROUP || a === null) continue;
    const isLate = tsMs < (seenAtMs.get(deviceNo) ?? 0) - LATE_MS;
    if (isLate && tsMs < (fromMs.get(deviceNo) ?? Number.POSITIVE_INFINITY)) fromMs.set(deviceNo, tsMs);
  }
  if (fromMs.size > 0) await markLate(sql, fromMs);
}

/** The map has, for each device number, the time from which on the history of the device has changed. */
export async function markLate(sql: Sql, fromMs: ReadonlyMap<number, number>): Promise<void> {
  const rows = [...fromMs].sort(([a], [b]) => a - b).map(([deviceNo, from]) => [deviceNo, from, 1]);
  await sql.upsertMany(LATE, rows);
}
