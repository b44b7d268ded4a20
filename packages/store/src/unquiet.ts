import { isQuiet } from '@granary/core/alert-evaluation';
import { FRESHNESS_MS } from '@granary/core/devices';
import type { NewestValue } from '@granary/core/rollup';
import type { StoredValues } from '@granary/core/telemetry';
import type { Sighting } from './presence.ts';
import type { Sql } from './sql.ts';
import { bandOf, watchAtOnce } from './watches.ts';

/** The devices whose alerts a batch could change, marked so that they are looked after in any case. */
export async function markUnquiet(
  sql: Sql,
  values: readonly NewestValue[],
  seen: readonly Sighting[],
): Promise<number[]> {
  const signs = signsOfLife(values, seen);
  if (signs.size === 0) return [];
  const rows = await sql.query<[deviceNo: number, minG: number | null, maxG: number | null, kg: number]>(
    `SELECT device_no, quiet_min_g, quiet_max_g, capacity_kg FROM watches JOIN devices USING (device_no)
     WHERE ${sql.isOneOfNumbers('device_no', '$1')} ORDER BY device_no`,
    [JSON.stringify([...signs.keys()])],
  );
  const unquiet = rows.flatMap(([deviceNo, minG, maxG, capacityKg]) => {
    const sign = signs.get(deviceNo);
    return sign?.isLate || !isQuiet(bandOf(minG, maxG), sign?.values ?? {}, capacityKg) ? [deviceNo] : [];
  });
  await watchAtOnce(sql, unquiet);
  return unquiet;
}

interface SignOfLife {
  readonly values: StoredValues;
  seenAtMs: number;
  /** A value that is old when it comes may be the first of its channel, and then tells of a broken sensor. */
  isLate: boolean;
}

function signsOfLife(
  values: readonly NewestValue[],
  seen: readonly Sighting[],
): ReadonlyMap<number, SignOfLife> {
  const signs = new Map<number, SignOfLife>();
  const signOf = (deviceNo: number): SignOfLife => {
    let sign = signs.get(deviceNo);
    if (sign === undefined) {
      sign = { values: {}, seenAtMs: Number.NEGATIVE_INFINITY, isLate: false };
      signs.set(deviceNo, sign);
    }
    return sign;
  };
  for (const { deviceNo, atMs } of seen) {
    const sign = signOf(deviceNo);
    sign.seenAtMs = Math.max(sign.seenAtMs, atMs);
  }
  for (const { deviceNo, channel, value, tsMs } of values) {
    const sign = signOf(deviceNo);
    sign.values[channel] = value;
    if (sign.seenAtMs - tsMs > FRESHNESS_MS) sign.isLate = true;
  }
  return signs;
}
