import { isWithinNoChangeRanges } from '@granary/core/alerts/no-change-ranges';
import { FRESHNESS_MS } from '@granary/core/devices/status';
import type { NewestValue } from '@granary/core/telemetry/readings';
import type { LastSeenUpdate } from '../presence-rows.ts';
import { type Transaction, together } from '../transaction.ts';
import { noChangeRangesOf, scheduleEvaluation } from './evaluation-rows.ts';

/**
 * Finds the devices whose alerts a batch could change, and marks them as due, so that a crash loses no evaluation. `alsoDue` are
 * devices of the batch that are due for another reason: one statement marks all, because it locks them in their order.
 */
export async function markForEvaluation(
  tx: Transaction,
  values: readonly NewestValue[],
  seen: readonly LastSeenUpdate[],
  alsoDue: Promise<ReadonlySet<number>>,
): Promise<number[]> {
  const signs = signsOfLife(values, seen);
  const ranges = signs.size === 0 ? [] : noChangeRangesOf(tx, [...signs.keys()]);
  const [known, also] = await together([ranges, alsoDue]);
  const toEvaluate = known.flatMap(({ deviceNo, noChangeRanges }) => {
    const sign = signs.get(deviceNo);
    if (sign === undefined) return [];
    const isDue = also.has(deviceNo) || sign.isLate || !isWithinNoChangeRanges(noChangeRanges, sign.values);
    return isDue ? [{ deviceNo, atMs: sign.seenAtMs }] : [];
  });
  await scheduleEvaluation(tx.sql, toEvaluate);
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
