import type { Lane, Slot } from '@granary/core/sensors/sensor';
import type { OpenBucket } from '@granary/core/telemetry/rollup';
import type { BulkUpsert, NumberRow, Sql } from '../../sql.ts';
import { SLOTS, slotColumns, slotOffset } from './lanes.ts';

const KEY = ['device_no', 'sensor_group'];
const FIELDS = ['value', 'ts_ms', 'sum', 'count', 'min', 'max'];
const COLUMNS = [...KEY, ...slotColumns(FIELDS)];
/** The last columns of a row: few devices have bad values, and rows without them are written without these columns. */
const BAD_FIELDS = ['bad_value', 'bad_ts_ms', 'bad_count'];
const BAD_COLUMNS = slotColumns(BAD_FIELDS);

/** The table has a device's latest values and the open bucket they belong to. */
const openBucketsWith = (columns: readonly string[]): BulkUpsert => ({
  table: 'open_buckets',
  key: KEY,
  columns,
  update: columns
    .slice(KEY.length)
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
});
const OPEN_BUCKETS = openBucketsWith(COLUMNS);
const OPEN_BUCKETS_WITH_BAD = openBucketsWith([...COLUMNS, ...BAD_COLUMNS]);

/** A row of up to three sensors, changed in place; it has the columns of bad values only if there were any. */
export type OpenBucketRow = (number | null)[];

interface Series extends Lane {
  readonly deviceNo: number;
}

/** The key of the row with a sensor of a device. */
export const openBucketKey = ({ deviceNo, group }: Series): string => `${deviceNo} ${group}`;

/**
 * The rows of these series, by key, locked in the same order everywhere. A device that reports for the first time, perhaps
 * on two nodes at once, gets its row first.
 */
export async function lockOpenBuckets(
  sql: Sql,
  series: readonly Series[],
): Promise<Map<string, OpenBucketRow>> {
  const keys = new Map<string, [deviceNo: number, group: number]>();
  for (const one of series) keys.set(openBucketKey(one), [one.deviceNo, one.group]);
  const wanted = [...keys.values()].sort(([a, groupA], [b, groupB]) => a - b || groupA - groupB);
  let rows = await sql.lockMany(OPEN_BUCKETS_WITH_BAD, wanted);
  if (rows.length < wanted.length) {
    await sql.insertNew({ ...OPEN_BUCKETS, columns: KEY }, wanted);
    rows = await sql.lockMany(OPEN_BUCKETS_WITH_BAD, wanted);
  }
  const byKey = (a: NumberRow, b: NumberRow) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]);
  const inOrder = rows.toSorted(byKey);
  return new Map(
    inOrder.map((row) => [`${row[0]} ${row[1]}`, hasBad(row) ? [...row] : row.slice(0, COLUMNS.length)]),
  );
}

export async function saveOpenBuckets(sql: Sql, rows: readonly OpenBucketRow[]): Promise<void> {
  const isUsual = (row: OpenBucketRow) => row.length === COLUMNS.length;
  // The rows are locked already, so the order of the two statements cannot make two nodes wait for each other.
  await sql.upsertMany(OPEN_BUCKETS, rows.filter(isUsual));
  await sql.upsertMany(
    OPEN_BUCKETS_WITH_BAD,
    rows.filter((row) => !isUsual(row)),
  );
}

const hasBad = (row: NumberRow): boolean =>
  SLOTS.some((_, index) => row[COLUMNS.length + index * BAD_FIELDS.length + 1] !== null);

/** Without a good value there are only the bad ones; `undefined`: there is no value at all. */
export function openBucketIn(row: NumberRow, slot: Slot): OpenBucket | Pick<OpenBucket, 'bad'> | undefined {
  const at = slotOffset(slot, KEY.length, FIELDS.length);
  const tsMs = row[at + 1] ?? null;
  const bad = badIn(row, slot);
  if (tsMs === null) return bad === null ? undefined : { bad };
  const [last, , sum, count, min, max] = row.slice(at, at + FIELDS.length).map(Number);
  return { last, lastTsMs: tsMs, sum, count, min, max, bad } as OpenBucket;
}

function badIn(row: NumberRow, slot: Slot): OpenBucket['bad'] {
  const at = slotOffset(slot, COLUMNS.length, BAD_FIELDS.length);
  const tsMs = row[at + 1] ?? null;
  return tsMs === null ? null : { last: Number(row[at]), lastTsMs: tsMs, count: Number(row[at + 2]) };
}

export function putOpenBucket(row: OpenBucketRow, slot: Slot, bucket: OpenBucket): void {
  const { last, lastTsMs, sum, count, min, max, bad } = bucket;
  const at = slotOffset(slot, KEY.length, FIELDS.length);
  const hasGood = count > 0;
  row[at] = hasGood ? last : null;
  row[at + 1] = hasGood ? lastTsMs : null;
  row[at + 2] = hasGood ? sum : null;
  row[at + 3] = hasGood ? count : null;
  row[at + 4] = hasGood ? min : null;
  row[at + 5] = hasGood ? max : null;
  if (bad === null && row.length === COLUMNS.length) return;
  while (row.length < COLUMNS.length + BAD_COLUMNS.length) row.push(null);
  const badAt = slotOffset(slot, COLUMNS.length, BAD_FIELDS.length);
  row[badAt] = bad?.last ?? null;
  row[badAt + 1] = bad?.lastTsMs ?? null;
  row[badAt + 2] = bad?.count ?? null;
}
