import { NO_GOOD_VALUE, type Rollup, rollOver, seriesOf } from '@granary/core/telemetry/rollup';
import type { Sql } from '@granary/store/sql';
import {
  lockOpenBuckets,
  openBucketIn,
  openBucketKey,
  putOpenBucket,
  saveOpenBuckets,
} from '@granary/store/tables/telemetry/open-buckets';

/**
 * Adds roll-ups of five minutes to the open buckets, which are stored with a device's latest values, and returns those that
 * are closed. Nearly every reading belongs to an open bucket, so it changes one row instead of three buckets; a history
 * includes the open ones when it is read.
 */
export async function addToOpenBuckets(sql: Sql, fiveMinutes: readonly Rollup[]): Promise<Rollup[]> {
  const rows = await lockOpenBuckets(sql, fiveMinutes);
  const closed: Rollup[] = [];
  for (const series of seriesOf(fiveMinutes)) {
    const [{ deviceNo, slot }] = series;
    const row = rows.get(openBucketKey(series[0]));
    if (row === undefined) throw new Error(`device ${deviceNo} has no row for its newest values`);
    const stored = openBucketIn(row, slot);
    const open = stored === undefined || 'count' in stored ? stored : { ...NO_GOOD_VALUE, ...stored };
    const rolled = rollOver(open, series);
    closed.push(...rolled.closed);
    putOpenBucket(row, slot, rolled.open);
  }
  await saveOpenBuckets(sql, [...rows.values()]);
  return closed;
}
