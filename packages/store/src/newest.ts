import type { ChannelName } from '@granary/contract/channels';
import { type NewestMinutes, type Rollup, seriesOf, turnOver } from '@granary/core/rollup';
import { PLACES, slotColumns, slotOffset } from './channels.ts';
import type { BulkUpsert, NumberRow, Sql } from './sql.ts';

const KEY = ['device_no', 'part'];
const FIELDS = ['value', 'ts_ms', 'sum', 'count', 'min', 'max'];
const COLUMNS = [...KEY, ...slotColumns(FIELDS)];

/**
 * A device's newest values, and with them the five minutes that they belong to. Nearly every reading falls into those, so
 * it changes one row here instead of three buckets; buckets are written when their five minutes are over, and a history
 * adds the newest ones as it reads.
 */
const LATEST: BulkUpsert = {
  table: 'latest',
  key: KEY,
  columns: COLUMNS,
  update: slotColumns(FIELDS)
    .map((column) => `${column} = excluded.${column}`)
    .join(', '),
};

type Row = (number | null)[];

/** Adds roll-ups of five minutes and answers those that are not, or no longer, among the newest. */
export async function addToNewest(sql: Sql, fiveMinutes: readonly Rollup[]): Promise<Rollup[]> {
  const rows = await lockRows(sql, fiveMinutes);
  const over: Rollup[] = [];
  for (const series of seriesOf(fiveMinutes)) {
    const [{ deviceNo, channel }] = series;
    const row = rows.get(nameOf(deviceNo, PLACES[channel].part)) ?? [];
    const turned = turnOver(newestIn(row, channel), series);
    over.push(...turned.over);
    put(row, channel, turned.newest);
  }
  await sql.upsertMany(LATEST, [...rows.values()]);
  return over;
}

const nameOf = (deviceNo: number, part: number): string => `${deviceNo} ${part}`;

/** In the same order everywhere, and there even for a device that reports for the first time, on two nodes at once. */
async function lockRows(sql: Sql, rollups: readonly Rollup[]): Promise<Map<string, Row>> {
  const keys = new Map<string, [deviceNo: number, part: number]>();
  for (const { deviceNo, channel } of rollups) {
    const { part } = PLACES[channel];
    keys.set(nameOf(deviceNo, part), [deviceNo, part]);
  }
  const wanted = [...keys.values()].sort(([a, partA], [b, partB]) => a - b || partA - partB);
  let rows = await sql.lockMany(LATEST, wanted);
  if (rows.length < wanted.length) {
    await sql.insertNew({ ...LATEST, columns: KEY }, wanted);
    rows = await sql.lockMany(LATEST, wanted);
  }
  const byKey = (a: NumberRow, b: NumberRow) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1]);
  const inOrder = rows.toSorted(byKey);
  return new Map(inOrder.map((row) => [nameOf(Number(row[0]), Number(row[1])), [...row]]));
}

function newestIn(row: NumberRow, channel: ChannelName): NewestMinutes | undefined {
  const at = slotOffset(channel, KEY.length, FIELDS.length);
  const tsMs = row[at + 1];
  if (tsMs === null || tsMs === undefined) return undefined;
  const [last, , sum, count, min, max] = row.slice(at, at + FIELDS.length).map(Number);
  return { last, lastTsMs: tsMs, sum, count, min, max } as NewestMinutes;
}

function put(row: Row, channel: ChannelName, { last, lastTsMs, sum, count, min, max }: NewestMinutes): void {
  const at = slotOffset(channel, KEY.length, FIELDS.length);
  row[at] = last;
  row[at + 1] = lastTsMs;
  row[at + 2] = sum;
  row[at + 3] = count;
  row[at + 4] = min;
  row[at + 5] = max;
}
