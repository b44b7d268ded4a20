import { addToOpenBuckets, ClosedBuckets } from '@granary/core/telemetry/open-bucket';
import type { Reading } from '@granary/core/telemetry/readings';
import type { Rollup } from '@granary/core/telemetry/rollup';
import type { Sql } from '@granary/store/sql';
import {
  lockOpenBuckets,
  openBucketKey,
  saveOpenBuckets,
} from '@granary/store/tables/telemetry/open-buckets';

/**
 * Adds new readings, ordered by time, to the open buckets, which are stored with a device's latest values, and returns the
 * roll-ups of five minutes that are closed. Nearly every reading belongs to an open bucket, so it changes one row instead of
 * three buckets; a history includes the open ones when it is read.
 */
export async function updateOpenBuckets(sql: Sql, readings: readonly Reading[]): Promise<Rollup[]> {
  const rows = await lockOpenBuckets(sql, readings);
  const closed = new ClosedBuckets();
  for (const reading of readings) {
    const row = rows.get(openBucketKey(reading));
    if (row === undefined) throw new Error(`device ${reading.deviceNo} has no row for its newest values`);
    addToOpenBuckets(row.open, reading, closed);
  }
  await saveOpenBuckets(sql, rows);
  return closed.rollups();
}
