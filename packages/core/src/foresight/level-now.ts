import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { firstAtOrAfter, type Hours, indexOf, usePerMs } from './hour-medians.ts';
import type { Weights } from './refills.ts';
import { medianOf, noiseOf, rounded } from './robust.ts';
import type { LevelNow, Refill } from './types.ts';

/** The level is the median of the weights of this time before the last one. */
export const LEVEL_MS = 30 * MINUTE_MS;
const LEVEL_COUNT_MIN = 3;
/** If this many readings are high, the silo is being filled or was filled: a spike of so many readings is rare. */
const RISEN_COUNT = 5;
/** A change of the level within half an hour by more than this share of the capacity is checked. */
const JUMP_OF_CAPACITY = 0.04;
/** How far back an unchanged weight is followed. */
const UNCHANGED_MS_MAX = 29 * HOUR_MS;
/** The noise of the level is that of this many readings. */
const NOISE_COUNT = 24;
/** The standard deviation of a median of normal noise is this many times that of a mean. */
const MEDIAN_DEVIATION = 1.25;
/** The reporting interval is the median of the intervals between this many readings. */
export const INTERVAL_COUNT = 10;

/** The median of the last half hour. A jump without a refill is not believed unless all of the last readings show the fall or rise. */
export function levelNow(
  weights: Weights,
  hours: Hours,
  refills: readonly Refill[],
  capacityKg: number,
): LevelNow | null {
  const { atMs, kg } = weights;
  const last = atMs.at(-1);
  if (last === undefined) return null;
  const from = Math.min(
    firstAtOrAfter(atMs, last - LEVEL_MS + MINUTE_MS),
    Math.max(0, kg.length - LEVEL_COUNT_MIN),
  );
  // The use and the refills since an older weight are taken into account, which matters if weights are hours apart.
  const kgPerMs = usePerMs(hours, refills, last);
  const recent = kg.slice(from).map((weightKg, index) => {
    const timeMs = atMs[from + index] ?? last;
    const later = refills.filter(({ fromMs, toMs }) => fromMs >= timeMs && toMs <= last);
    return later.reduce((sum, refill) => sum + refill.kg, weightKg - kgPerMs * (last - timeMs));
  });
  const earlierFrom = firstAtOrAfter(atMs, (atMs[from] ?? 0) - 2 * LEVEL_MS);
  const recentKg = medianOf(recent);
  const earlierKg = medianOf(kg.slice(earlierFrom, from));
  const jumpKg = recentKg - earlierKg;
  const isJump =
    Math.abs(jumpKg) > JUMP_OF_CAPACITY * capacityKg &&
    !refills.some(({ toMs }) => toMs > last - 4 * LEVEL_MS);
  const isFall = jumpKg < 0 && recent.every((weightKg) => weightKg < recentKg - jumpKg / 2);
  const latest = kg.slice(-RISEN_COUNT);
  const isRisen =
    latest.length === RISEN_COUNT &&
    latest.every((weightKg) => weightKg > earlierKg + (JUMP_OF_CAPACITY / 2) * capacityKg);
  const believedKg = isJump && !isFall ? earlierKg : recentKg;
  const noise = noiseOf(kg.slice(Math.max(0, kg.length - NOISE_COUNT)));
  return {
    kg: rounded(isRisen ? medianOf(latest.slice(-LEVEL_COUNT_MIN)) : believedKg, 1),
    deviationKg: rounded((MEDIAN_DEVIATION * noise) / Math.sqrt(recent.length), 2),
    atMs: last,
    unchangedSinceMs: unchangedSince(weights, hours),
    everyMs: usualInterval(atMs),
  };
}

function usualInterval(atMs: readonly number[]): number {
  const latest = atMs.slice(-INTERVAL_COUNT);
  const intervals = latest.slice(1).map((timeMs, index) => timeMs - (latest[index] ?? 0));
  return intervals.length === 0 ? 0 : medianOf(intervals);
}

/** Uses the hours, because a pass reads only the last weights, and looks no further back than the hours are kept. */
function unchangedSince({ atMs, kg }: Weights, hours: Hours): number {
  const [lastMs, lastKg] = [atMs.at(-1) ?? 0, kg.at(-1) ?? 0];
  let hour = indexOf(hours, lastMs);
  while (hour > indexOf(hours, lastMs - UNCHANGED_MS_MAX) && hours.kg[hour] === rounded(lastKg, 2)) hour -= 1;
  return Math.min(lastMs, hours.fromMs + (hour + 1) * HOUR_MS);
}
