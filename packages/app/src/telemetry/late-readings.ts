import { MINUTE_MS } from '@granary/contract/time';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';
import type { BulkUpsert, Sql } from '@granary/store/sql';
import type { LastSeenUpdate } from '../presence-rows.ts';

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
