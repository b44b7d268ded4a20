import type { ChannelName } from '@granary/contract/telemetry/channels';
import {
  type NewestMinutes,
  NO_GOOD_VALUE,
  type Rollup,
  rollOver,
  seriesOf,
} from '@granary/core/telemetry/rollup';
import type { BulkUpsert, NumberRow, Sql } from '@granary/store/sql';
import { CHANNEL_LAYOUT, LANES, laneColumns, laneOffset } from '@granary/store/tables/channel-layout';

const KEY = ['device_no', 'sensor_group'];
const FIELDS = ['value', 'ts_ms', 'sum', 'count', 'min', 'max'];
const COLUMNS = [...KEY, ...laneColumns(FIELDS)];
/** Last in a row: hardly any device has bad values, and rows without them are written without these columns. */
const BAD_FIELDS = ['bad_value', 'bad_ts_ms', 'bad_count'];
const BAD_COLUMNS = laneColumns(BAD_FIELDS);

/**
 * A device's newest values, and with them the five minutes that they belong to. Nearly every reading falls into those, so
 * it changes one row here instead of three buckets; buckets are written when their five minutes are over, and a history
 * adds the newest ones as it reads.
 */
const latestWith = (columns: readonly string[]): BulkUpsert => ({
  table: 'open_buckets',
  key: KEY,
  columns,
  update: columns
    .slice(KEY.length)
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
});
const LATEST = latestWith(COLUMNS);
const LATEST_WITH_BAD = latestWith([...COLUMNS, ...BAD_COLUMNS]);

type Row = (number | null)[];

/** Adds roll-ups of five minutes and answers those that are not, or no longer, among the newest. */
export async function addToNewest(sql: Sql, fiveMinutes: readonly Rollup[]): Promise<Rollup[]> {
  const rows = await lockRows(sql, fiveMinutes);
  const withBad = new Set([...rows.values()].filter(hasBad));
  const over: Rollup[] = [];
  for (const series of seriesOf(fiveMinutes)) {
    const [{ deviceNo, channel }] = series;
    const row = rows.get(nameOf(deviceNo, CHANNEL_LAYOUT[channel].group)) ?? [];
    const turned = rollOver(newestIn(row, channel), series);
    over.push(...turned.over);
    put(row, channel, turned.newest);
    if (turned.newest.bad !== null) withBad.add(row);
  }
  // The rows are locked already, so the order of the two statements cannot make two nodes wait for each other.
  const usual = [...rows.values()].filter((row) => !withBad.has(row));
  for (const row of usual) row.length = COLUMNS.length;
  await sql.upsertMany(LATEST, usual);
  await sql.upsertMany(LATEST_WITH_BAD, [...withBad]);
  return over;
}

const hasBad = (row: NumberRow): boolean =>
  LANES.some((_, index) => row[COLUMNS.length + index * BAD_FIELDS.length + 1] !== null);

const nameOf = (deviceNo: number, group: number): string => `${deviceNo} ${group}`;

/** In the same order everywhere, and there even for a device that reports for the first time, on two nodes at once. */
async function lockRows(sql: Sql, rollups: readonly Rollup[]): Promise<Map<string, Row>> {
  const keys = new Map<string, [deviceNo: number, group: number]>();
  for (const { deviceNo, channel } of rollups) {
    const { group } = CHANNEL_LAYOUT[channel];
    keys.set(nameOf(deviceNo, group), [deviceNo, group]);
  }
  const wanted = [...keys.values()].sort(([a, partA], [b, partB]) => a - b || partA - partB);
  let rows = await sql.lockMany(LATEST_WITH_BAD, wanted);
  if (rows.length < wanted.length) {
    await sql.insertNew({ ...LATEST, columns: KEY }, wanted);
    rows = await sql.lockMany(LATEST_WITH_BAD, wanted);
  }
  const byKey = (a: NumberRow, b: NumberRow) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]);
  const inOrder = rows.toSorted(byKey);
  return new Map(inOrder.map((row) => [nameOf(Number(row[0]), Number(row[1])), [...row]]));
}

function newestIn(row: NumberRow, channel: ChannelName): NewestMinutes | undefined {
  const at = laneOffset(channel, KEY.length, FIELDS.length);
  const tsMs = row[at + 1] ?? null;
  const bad = badIn(row, channel);
  if (tsMs === null) return bad === null ? undefined : { ...NO_GOOD_VALUE, bad };
  const [last, , sum, count, min, max] = row.slice(at, at + FIELDS.length).map(Number);
  return { last, lastTsMs: tsMs, sum, count, min, max, bad } as NewestMinutes;
}

function badIn(row: NumberRow, channel: ChannelName): NewestMinutes['bad'] {
  const at = laneOffset(channel, COLUMNS.length, BAD_FIELDS.length);
  const tsMs = row[at + 1] ?? null;
  return tsMs === null ? null : { last: Number(row[at]), lastTsMs: tsMs, count: Number(row[at + 2]) };
}

function put(row: Row, channel: ChannelName, newest: NewestMinutes): void {
  const { last, lastTsMs, sum, count, min, max, bad } = newest;
  const at = laneOffset(channel, KEY.length, FIELDS.length);
  const hasGood = count > 0;
  row[at] = hasGood ? last : null;
  row[at + 1] = hasGood ? lastTsMs : null;
  row[at + 2] = hasGood ? sum : null;
  row[at + 3] = hasGood ? count : null;
  row[at + 4] = hasGood ? min : null;
  row[at + 5] = hasGood ? max : null;
  const badAt = laneOffset(channel, COLUMNS.length, BAD_FIELDS.length);
  row[badAt] = bad?.last ?? null;
  row[badAt + 1] = bad?.lastTsMs ?? null;
  row[badAt + 2] = bad?.count ?? null;
}
