import { deliveryFit, type LevelAt } from '@granary/contract/foresight/delivery-fit';
import { rounded } from './robust.ts';
import type { EmptyTimes, PathPoint, PlannedDelivery, WithDeliveries } from './types.ts';

/** The indexes of the early, the middle and the late time in the list of quantiles. */
const [EARLY, MIDDLE, LATE] = [0, 2, 4] as const;

interface Expected {
  readonly nowMs: number;
  readonly capacityKg: number;
  readonly leftKg: number;
  /** The entered deliveries, ordered by time. */
  readonly planned: readonly PlannedDelivery[];
  /** The use from now until a time, for each quantile; the first one is the high use. */
  readonly usedAt: (timeMs: number) => readonly number[];
  /** The time at which an amount is used up, for the quantile with this index; `null` if that is not foreseeable. */
  readonly usedUpAt: (kg: number, quantile: number) => number | null;
  readonly pathTimes: readonly number[];
  /** The times of a path as far as anything is predicted. */
  readonly allTimes: readonly number[];
  /** Whether the range is so wide that only its early end is told. */
  readonly isWide: boolean;
}

/** The forecast if the entered deliveries come at their times; `null` if none was entered. */
export function withDeliveries(expected: Expected): WithDeliveries | null {
  const { planned, nowMs, capacityKg, isWide } = expected;
  if (planned.length === 0) return null;
  const emptyAt = (quantile: number): number | null => usedUpWith(expected, quantile);
  const empty: EmptyTimes = {
    p10Ms: emptyAt(EARLY),
    p50Ms: isWide ? null : emptyAt(MIDDLE),
    p90Ms: isWide ? null : emptyAt(LATE),
  };
  return {
    deliveries: planned.map((delivery, index) => {
      const others = pathWith({ ...expected, planned: planned.toSpliced(index, 1) }, expected.allTimes);
      const levels = others.map(({ atMs, p90 }): LevelAt => ({ atMs, kg: p90 }));
      const at = { kg: delivery.kg, atMs: Math.max(delivery.atMs, nowMs) };
      const { kg, allFromMs } = deliveryFit(levels, capacityKg, at);
      return { ...delivery, fitsKg: rounded(kg, 1), fitsFromMs: allFromMs };
    }),
    empty: empty.p10Ms === null ? null : empty,
    path: expected.pathTimes.length === 0 ? [] : pathWith(expected, expected.pathTimes),
  };
}

/** The time at which the silo is empty. A delivery that comes later does not change it. */
function usedUpWith({ leftKg, planned, capacityKg, nowMs, usedAt, usedUpAt }: Expected, quantile: number) {
  let addedKg = 0;
  let usedUpMs = usedUpAt(leftKg, quantile);
  for (const { atMs, kg } of planned) {
    if (usedUpMs === null || atMs > usedUpMs) break;
    const levelKg = Math.max(0, leftKg + addedKg - (usedAt(Math.max(atMs, nowMs))[quantile] ?? 0));
    addedKg += Math.min(kg, Math.max(0, capacityKg - levelKg));
    usedUpMs = usedUpAt(leftKg + addedKg, quantile);
  }
  return usedUpMs;
}

/** The levels at the times, and one before and one after each delivery up to the last of the times. */
function pathWith(
  { planned, nowMs, capacityKg, leftKg, usedAt }: Expected,
  times: readonly number[],
): PathPoint[] {
  const untilMs = times.at(-1) ?? nowMs;
  const coming = planned.map(({ atMs, kg }) => ({ atMs: Math.max(atMs, nowMs), kg }));
  const steps = [...times.map((atMs) => ({ atMs, kg: 0 })), ...coming.filter(({ atMs }) => atMs <= untilMs)];
  let used = usedAt(nowMs).map(() => 0);
  let levels = used.map(() => leftKg);
  return steps
    .toSorted((one, other) => one.atMs - other.atMs)
    .flatMap(({ atMs, kg }) => {
      const before = used;
      used = [...usedAt(atMs)];
      levels = levels.map((level, index) => Math.max(0, level - ((used[index] ?? 0) - (before[index] ?? 0))));
      const arrived = pointOf(atMs, levels);
      if (kg === 0) return [arrived];
      levels = levels.map((level) => Math.min(Math.max(capacityKg, level), level + kg));
      return [arrived, pointOf(atMs, levels)];
    });
}

/** Makes a point of the path from the levels for each quantile, the lowest level first. */
export function pointOf(atMs: number, levels: readonly number[]): PathPoint {
  const [p10 = 0, p25 = 0, p50 = 0, p75 = 0, p90 = 0] = levels.map((kg) => rounded(kg, 1));
  return { atMs, p10, p25, p50, p75, p90 };
}
