import { addToOpenBuckets, ClosedBuckets } from '@granary/core/telemetry/open-bucket';
import type { Reading } from '@granary/core/telemetry/readings';
import type { Rollup } from '@granary/core/telemetry/rollup';
import type { OpenBucketRow } from '@granary/store/row-memory';
import type { Sql } from '@granary/store/sql';
import { openBucketKey, saveOpenBuckets } from '@granary/store/tables/telemetry/open-buckets';

/**
 * Adds new readings, ordered by time, to the open buckets, which are stored with a device's latest values, and returns the
 * roll-ups of five minutes that are closed. Nearly every reading belongs to an open bucket, so it changes one row instead of
 * three buckets; a history includes the open ones when it is read. `locked` has at least the rows of these readings.
 */
export async function updateOpenBuckets(
  sql: Sql,
  locked: ReadonlyMap<number, OpenBucketRow>,
  readings: readonly Reading[],
): Promise<Rollup[]> {
  const changed = new Map<number, OpenBucketRow>();
  const closed = new ClosedBuckets();
  for (const reading of readings) {
    const key = openBucketKey(reading);
    const row = locked.get(key);
    if (row === undefined) throw new Error(`device ${reading.deviceNo} has no row for its newest values`);
    addToOpenBuckets(row.open, reading, closed);
    changed.set(key, row);
  }
  await saveOpenBuckets(sql, changed);
  return closed.rollups();
}
