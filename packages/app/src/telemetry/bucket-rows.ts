import { INTERVAL_MS, type Interval } from '@granary/contract/telemetry/telemetry';
import type { Lane, Slot } from '@granary/core/sensors/sensor';
import type { Bucket } from '@granary/core/telemetry/history';
import type { Rollup } from '@granary/core/telemetry/rollup';
import type { BulkUpsert, NumberRow, Sql } from '@granary/store/sql';
import { openBucketFigures, SLOTS, slotColumns, slotOffset, whenNewer } from './open-bucket-rows.ts';

/**
 * Buckets are stored in time chunks of this many consecutive ones per series, ordered by time. The buckets that all devices
 * are filling now then share a few hundred pages; ordered by device they would change one page per series with every commit
 * (measured: 15 ms instead of 1 ms for 200 silos). A read seeks once per chunk, and expired buckets are adjacent.
 */
const BUCKETS_PER_CHUNK = 16;

const chunkOf = (startMs: number, sizeMs: number): number =>
  Math.floor(startMs / (sizeMs * BUCKETS_PER_CHUNK));

const KEY = ['size_ms', 'time_chunk', 'device_no', 'sensor_group', 'start_ms'];
export const BUCKET_FIELDS = ['sum', 'count', 'min', 'max', 'last', 'last_ts_ms'];
/** The initial values of a row without readings. */
const EMPTY_SLOTS: NumberRow = SLOTS.flatMap(() => [0, 0, null, null, null, null]);
/** The last columns of a row: batches without bad values, which is nearly all, are written without them. */
const BAD_COLUMNS = slotColumns(['bad_count']);
const NO_BAD: NumberRow = SLOTS.map(() => 0);

const BUCKETS: BulkUpsert = {
  table: 'buckets',
  key: KEY,
  columns: [...KEY, ...slotColumns(BUCKET_FIELDS)],
  update: SLOTS.map(
    (slot) => `
    ${slot}_sum = buckets.${slot}_sum + excluded.${slot}_sum,
    ${slot}_count = buckets.${slot}_count + excluded.${slot}_count,
    ${slot}_min = CASE WHEN buckets.${slot}_min IS NULL OR excluded.${slot}_min < buckets.${slot}_min
                       THEN excluded.${slot}_min ELSE buckets.${slot}_min END,
    ${slot}_max = CASE WHEN buckets.${slot}_max IS NULL OR excluded.${slot}_max > buckets.${slot}_max
                       THEN excluded.${slot}_max ELSE buckets.${slot}_max END,
    ${whenNewer('buckets', slot, 'last', 'last_ts_ms')},
    ${whenNewer('buckets', slot, 'last_ts_ms', 'last_ts_ms')}`,
  ).join(','),
};

const BUCKETS_WITH_BAD: BulkUpsert = {
  ...BUCKETS,
  columns: [...BUCKETS.columns, ...BAD_COLUMNS],
  update: [
    BUCKETS.update,
    ...BAD_COLUMNS.map((column) => `${column} = buckets.${column} + excluded.${column}`),
  ].join(', '),
};

export async function addToBuckets(sql: Sql, rollups: readonly Rollup[]): Promise<void> {
  const withBad = rollups.some(({ bad }) => bad !== null);
  const rows = bucketRows(rollups, withBad).sort(byKey);
  await sql.upsertMany(withBad ? BUCKETS_WITH_BAD : BUCKETS, rows);
}

/** Groups the roll-ups that share a row; usually they are adjacent. */
function bucketRows(rollups: readonly Rollup[], withBad: boolean): NumberRow[] {
  const rows = new Map<string, (number | null)[]>();
  let row: (number | null)[] = [];
  for (const rollup of rollups) {
    const { deviceNo, group, slot, interval, startMs } = rollup;
    const sizeMs = INTERVAL_MS[interval];
    if (row[4] !== startMs || row[2] !== deviceNo || row[3] !== group || row[0] !== sizeMs) {
      const name = `${deviceNo} ${group} ${interval} ${startMs}`;
      row = rows.get(name) ?? emptyRow(sizeMs, deviceNo, group, startMs, withBad);
      rows.set(name, row);
    }
    if (rollup.bad !== null) row[slotOffset(slot, BUCKETS.columns.length, 1)] = rollup.bad.count;
    if (rollup.count === 0) continue;
    const at = slotOffset(slot, KEY.length, BUCKET_FIELDS.length);
    row[at] = rollup.sum;
    row[at + 1] = rollup.count;
    row[at + 2] = rollup.min;
    row[at + 3] = rollup.max;
    row[at + 4] = rollup.last;
    row[at + 5] = rollup.lastTsMs;
  }
  return [...rows.values()];
}

const emptyRow = (
  sizeMs: number,
  deviceNo: number,
  group: number,
  startMs: number,
  withBad: boolean,
): (number | null)[] => [
  sizeMs,
  chunkOf(startMs, sizeMs),
  deviceNo,
  group,
  startMs,
  ...EMPTY_SLOTS,
  ...(withBad ? NO_BAD : []),
];

function byKey(a: NumberRow, b: NumberRow): number {
  for (let i = 0; i < KEY.length; i++) {
    const difference = Number(a[i]) - Number(b[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

export interface HistoryRange {
  readonly deviceNo: number;
  readonly lane: Lane;
  readonly interval: Interval;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The buckets that start in [from, to), ordered by time. The open bucket comes after the stored one it belongs to. */
export async function readBuckets(sql: Sql, range: HistoryRange): Promise<Bucket[]> {
  const { deviceNo, lane, interval, fromMs, toMs } = range;
  const sizeMs = INTERVAL_MS[interval];
  const { group } = lane;
  const slot = SLOTS[lane.slot];
  // One statement sees one moment: five minutes that are just being closed are neither missed nor counted twice. A sum
  // may pass 2^53, so it is read as floating point. Sorted here: a sort in SQL costs more than the read. Arrays, because
  // this reads thousands of rows.
  const rows = await sql.queryArrays<BucketRow>(
    `WITH RECURSIVE wanted(time_chunk) AS (
       SELECT CAST($4 AS BIGINT) UNION ALL SELECT time_chunk + 1 FROM wanted WHERE time_chunk < $5
     )
     SELECT start_ms, CAST(${slot}_sum AS DOUBLE PRECISION), ${slot}_count, ${slot}_min, ${slot}_max, ${slot}_last,
            ${slot}_bad_count, NULL
     FROM wanted CROSS JOIN buckets
     WHERE size_ms = $1 AND buckets.time_chunk = wanted.time_chunk AND device_no = $2 AND sensor_group = $3
       AND start_ms >= $6 AND start_ms < $7 AND (${slot}_count > 0 OR ${slot}_bad_count > 0)
     UNION ALL
     SELECT 0, 0, 0, NULL, NULL, NULL, 0, body FROM open_buckets
     WHERE device_no = $2 AND sensor_group = $3 AND body IS NOT NULL`,
    [sizeMs, deviceNo, group, chunkOf(fromMs, sizeMs), chunkOf(toMs, sizeMs), fromMs, toMs],
  );
  const buckets: Bucket[] = [];
  let open: Bucket | null = null;
  for (const [startMs, sum, count, min, max, last, badCount, body] of rows) {
    if (body === null) buckets.push({ startMs, sum, count, min, max, last, badCount });
    else open = openBucketIn(body, lane.slot, sizeMs);
  }
  if (open !== null && open.startMs >= fromMs && open.startMs < toMs) buckets.push(open);
  // The sort is stable, so the open bucket stays after the stored one.
  return buckets.sort((a, b) => a.startMs - b.startMs);
}

export interface LastValue {
  readonly startMs: number;
  readonly last: number;
}

/**
 * Of each bucket with a good value that starts in [from, to) its last value, ordered by time. The database makes one text of
 * them: a row for each costs several times as much, and forecasts read hundreds of them for thousands of devices.
 */
export async function readLastValues(sql: Sql, range: HistoryRange): Promise<LastValue[]> {
  const { deviceNo, lane, interval, fromMs, toMs } = range;
  const sizeMs = INTERVAL_MS[interval];
  const slot = SLOTS[lane.slot];
  const [row] = await sql.queryArrays<[values: string | null, open: Uint8Array | null]>(
    `WITH RECURSIVE wanted(time_chunk) AS (
       SELECT CASE WHEN MIN(time_chunk) > CAST($4 AS BIGINT) THEN MIN(time_chunk) ELSE CAST($4 AS BIGINT) END
       FROM buckets WHERE size_ms = $1
       UNION ALL SELECT time_chunk + 1 FROM wanted WHERE time_chunk < $5
     )
     SELECT
       (SELECT string_agg(CAST(start_ms / ${sizeMs} AS TEXT) || ',' || CAST(${slot}_last AS TEXT), ',')
        FROM wanted CROSS JOIN buckets
        WHERE size_ms = $1 AND buckets.time_chunk = wanted.time_chunk AND device_no = $2 AND sensor_group = $3
          AND start_ms >= $6 AND start_ms < $7 AND ${slot}_count > 0),
       (SELECT body FROM open_buckets WHERE device_no = $2 AND sensor_group = $3)`,
    [sizeMs, deviceNo, lane.group, chunkOf(fromMs, sizeMs), chunkOf(toMs, sizeMs), fromMs, toMs],
  );
  const [text = null, body = null] = row ?? [];
  const numbers: number[] = text === null ? [] : JSON.parse(`[${text}]`);
  const values: LastValue[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    values.push({ startMs: (numbers[at] ?? 0) * sizeMs, last: numbers[at + 1] ?? 0 });
  }
  const open = body === null ? null : openBucketIn(body, lane.slot, sizeMs);
  if (open !== null && open.last !== null && open.startMs >= fromMs && open.startMs < toMs) {
    values.push({ startMs: open.startMs, last: open.last });
  }
  // The sort is stable, so the open bucket stays after the stored one.
  return values.sort((a, b) => a.startMs - b.startMs);
}

/** Good and bad values there are of the same five minutes, so either time tells which. */
function openBucketIn(body: Uint8Array, slot: Slot, sizeMs: number): Bucket | null {
  const figures = openBucketFigures(body)[slot];
  const newestMs = figures?.tsMs ?? figures?.badTsMs;
  if (figures === undefined || newestMs == null) return null;
  const { value, sum, count, min, max, badCount } = figures;
  return {
    startMs: newestMs - (newestMs % sizeMs),
    sum: sum ?? 0,
    count: count ?? 0,
    min,
    max,
    last: value,
    badCount: badCount ?? 0,
  };
}

type BucketRow = [
  startMs: number,
  sum: number,
  count: number,
  min: number | null,
  max: number | null,
  last: number | null,
  badCount: number,
  openBuckets: Uint8Array | null,
];

export interface BucketBounds {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A range that has all buckets of an interval, also the open ones; `null` when there are none. */
export async function bucketBounds(sql: Sql, interval: Interval): Promise<BucketBounds | null> {
  const sizeMs = INTERVAL_MS[interval];
  const [row] = await sql.query<{
    oldestChunk: number | null;
    newestChunk: number | null;
    oldestOpenMs: number | null;
    newestOpenMs: number | null;
  }>(
    `SELECT (SELECT MIN(time_chunk) FROM buckets WHERE size_ms = $1) AS oldest_chunk,
            (SELECT MAX(time_chunk) FROM buckets WHERE size_ms = $1) AS newest_chunk,
            MIN(oldest_ms) AS oldest_open_ms, MAX(newest_ms) AS newest_open_ms FROM open_buckets`,
    [sizeMs],
  );
  const { oldestChunk, newestChunk, oldestOpenMs, newestOpenMs } = row ?? {};
  const found = [oldestOpenMs, newestOpenMs].filter((time) => time != null);
  if (oldestChunk != null && newestChunk != null) {
    const chunkMs = sizeMs * BUCKETS_PER_CHUNK;
    found.push(oldestChunk * chunkMs, (newestChunk + 1) * chunkMs);
  }
  if (found.length === 0) return null;
  // A bucket begins before the time of a value in it, and a day of a time zone up to an hour earlier still.
  return { fromMs: Math.min(...found) - 2 * sizeMs, toMs: Math.max(...found) + 2 * sizeMs };
}

/** Removes a limited number of buckets that ended before a time and returns how many. */
export async function dropBuckets(
  sql: Sql,
  interval: Interval,
  beforeMs: number,
  rowsMax: number,
): Promise<number> {
  const sizeMs = INTERVAL_MS[interval];
  const key = KEY.join(', ');
  return await sql.run(
    `DELETE FROM buckets WHERE (${key}) IN (
       SELECT ${key} FROM buckets WHERE size_ms = $1 AND time_chunk < $2 ORDER BY ${key} LIMIT $3
     )`,
    [sizeMs, chunkOf(beforeMs, sizeMs), rowsMax],
  );
}
