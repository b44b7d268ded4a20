import { isWithinNoChangeRanges } from '@granary/core/alerts/no-change-ranges';
import { FRESHNESS_MS } from '@granary/core/devices/status';
import type { NewestValue } from '@granary/core/telemetry/rollup';
import type { Sql } from '@granary/store/sql';
import { noChangeRangesOf, scheduleEvaluation } from '@granary/store/tables/alerts/alert-evaluations';
import type { LastSeenUpdate } from '@granary/store/tables/presence';

/** Finds the devices whose alerts a batch could change, and marks them as due, so that a crash loses no evaluation. */
export async function markForEvaluation(
  sql: Sql,
  values: readonly NewestValue[],
  seen: readonly LastSeenUpdate[],
): Promise<number[]> {
  const signs = signsOfLife(values, seen);
  if (signs.size === 0) return [];
  const known = await noChangeRangesOf(sql, [...signs.keys()]);
  const toEvaluate = known.flatMap(({ deviceNo, noChangeRanges }) => {
    const sign = signs.get(deviceNo);
    if (sign === undefined) return [];
    const isDue = sign.isLate || !isWithinNoChangeRanges(noChangeRanges, sign.values);
    return isDue ? [{ deviceNo, atMs: sign.seenAtMs }] : [];
  });
  await scheduleEvaluation(sql, toEvaluate);
  return toEvaluate.map(({ deviceNo }) => deviceNo);
}

interface DeviceActivity {
  readonly values: NewestValue[];
  seenAtMs: number;
  /** An old value may be the first of its sensor and reveal a broken sensor. */
  isLate: boolean;
}

function signsOfLife(
  values: readonly NewestValue[],
  seen: readonly LastSeenUpdate[],
): ReadonlyMap<number, DeviceActivity> {
  const signs = new Map<number, DeviceActivity>();
  const signOf = (deviceNo: number): DeviceActivity => {
    let sign = signs.get(deviceNo);
    if (sign === undefined) {
      sign = { values: [], seenAtMs: 0, isLate: false };
      signs.set(deviceNo, sign);
    }
    return sign;
  };
  for (const { deviceNo, atMs } of seen) {
    const sign = signOf(deviceNo);
    sign.seenAtMs = Math.max(sign.seenAtMs, atMs);
  }
  for (const value of values) {
    const sign = signOf(value.deviceNo);
    sign.values.push(value);
    if (sign.seenAtMs - value.tsMs > FRESHNESS_MS) sign.isLate = true;
  }
  return signs;
}
