import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { medianOf, noiseOf } from './robust.ts';

/** The readings of this long before and after a moment are compared, and at least three on each side. */
const SIDE_MS = 30 * MINUTE_MS;
const SIDE_COUNT_MIN = 3;
/** A smaller difference of the two sides is no rise, and a smaller rise is no refill; both are shares of the capacity. */
const RISING_PART = 0.01;
const REFILL_PART = 0.02;
/** The same limits as standard deviations of the noise. */
const RISING_DEVIATIONS = 3;
const REFILL_DEVIATIONS = 4;
const NOISE_COUNT = 24;
/**
 * At most this many wrong weights after a rise are skipped, within this time: with a device that reports seldom a later
 * refill could be mistaken for this rise.
 */
const DIP_COUNT_MAX = 10;
const DIP_MS_MAX = 2 * HOUR_MS;
/** If the rise is this many times larger at a later moment, the earlier moment was in a dip. */
const DIP_TIMES = 1.2;
const STAYS_PART = 0.7;
/** A rise that loses more than this share in one step within this time is no refill. */
const FELL_BACK_PART = 0.6;
export const FELL_BACK_WITHIN_MS = 3 * HOUR_MS;
/** The weight stands still for at least this time between two trucks. */
const PAUSE_MS = 15 * MINUTE_MS;
const PAUSE_COUNT_MIN = 4;
/** If the weights are further apart than this, the time of a refill is not known. */
const GAP_MS = HOUR_MS;

/** Weights ordered by time. */
export interface Weights {
  readonly atMs: readonly number[];
  readonly kg: readonly number[];
}

export interface Rise {
  /** The times of the last reading before the rise and of the first one after it. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly beforeKg: number;
  readonly afterKg: number;
  /** The time from the middle of the readings before the rise to the middle of those after it. */
  readonly measuredOverMs: number;
  readonly inGap: boolean;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Rises {
  readonly rises: readonly Rise[];
  /** The spans in which the weight rose and fell back: the weights in them are wrong. */
  readonly spikes: readonly Span[];
  /** The start of a rise that cannot be told from a spike yet; `null` if there is none. */
  readonly pendingFromMs: number | null;
}

/**
 * Finds rises of the weight that stay. The medians of the half hour before and after each moment are compared: a spike of
 * some readings changes neither median, and a slow filling is a run of moments with a difference.
 */
export function findRises(weights: Weights, capacityKg: number): Rises {
  const { atMs, kg } = weights;
  const rises: Rise[] = [];
  const spikes: Span[] = [];
  let pendingFromMs: number | null = null;
  const least = RISING_PART * capacityKg;
  let index = 0;
  while (index < kg.length - 1) {
    const first = index;
    if (!(differenceAt(weights, first, least) > least)) {
      index += 1;
      continue;
    }
    const noise = noiseOf(kg.slice(Math.max(0, first - NOISE_COUNT), first + 1));
    const limit = Math.max(least, RISING_DEVIATIONS * noise);
    let last = first;
    while (last + 1 < kg.length - 1 && differenceAt(weights, last + 1, limit) > limit) last += 1;
    index = last + 1;
    if (!(differenceAt(weights, first, 0) > limit)) {
      index = first + 1;
      continue;
    }
    const before = sideBefore(weights, first);
    const beforeKg = medianOf(before);
    // Wrong weights soon after the rise must not hide it, so the moments after them are checked, too.
    let stays = last;
    let rise = Number.NaN;
    let at = last;
    let end = last;
    while (end < last + DIP_COUNT_MAX && (atMs[end + 1] ?? 0) <= (atMs[last] ?? 0) + DIP_MS_MAX) end += 1;
    for (; at <= end && isComplete(weights, at); at += 1) {
      const after = sideAfter(weights, at);
      const kept = medianOf(after) - beforeKg;
      if (kept <= DIP_TIMES * rise || !isStep(before, after, beforeKg, kept)) continue;
      [stays, rise] = [at, kept];
    }
    if (Number.isNaN(rise)) {
      if (at > end) index = first + 1;
      else pendingFromMs ??= atMs[Math.max(0, first - before.length + 1)] ?? null;
      continue;
    }
    const noiseAfter = noiseOf(kg.slice(last + 1, last + 1 + NOISE_COUNT / 2));
    if (rise < Math.max(REFILL_PART * capacityKg, REFILL_DEVIATIONS * Math.max(noise, noiseAfter))) continue;
    const dip = fallBefore(weights, first, rise);
    if (dip !== null) {
      spikes.push({ fromMs: atMs[dip] ?? 0, toMs: atMs[last] ?? 0 });
      continue;
    }
    const fell = fallAfter(weights, stays, rise);
    const found = partsOf(weights, [first, last, stays], Math.max(noise, noiseAfter), capacityKg);
    if (fell === null) rises.push(...found);
    else spikes.push({ fromMs: found[0]?.fromMs ?? 0, toMs: atMs[fell] ?? 0 });
  }
  return { rises, spikes, pendingFromMs };
}

/**
 * The difference of the two medians, above 0 for a rise; 0 without computing them if no reading after the moment is `least`
 * above one before it.
 */
function differenceAt(weights: Weights, index: number, least: number): number {
  const { kg } = weights;
  const rough = (kg[index + 1] ?? 0) - (kg[index] ?? 0);
  if (rough <= least) {
    const [low, high] = [Math.max(0, index - 5), Math.min(kg.length - 1, index + 6)];
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let at = low; at <= index; at += 1) min = Math.min(min, kg[at] ?? 0);
    for (let at = index + 1; at <= high; at += 1) max = Math.max(max, kg[at] ?? 0);
    if (max - min <= least) return 0;
  }
  return medianOf(sideAfter(weights, index)) - medianOf(sideBefore(weights, index));
}

const sideBefore = (weights: Weights, index: number): number[] =>
  weights.kg.slice(beforeFrom(weights, index), index + 1);

function beforeFrom({ atMs }: Weights, index: number): number {
  const since = (atMs[index] ?? 0) - SIDE_MS;
  let from = index;
  while (from > 0 && ((atMs[from - 1] ?? 0) > since || index - from + 1 < SIDE_COUNT_MIN)) from -= 1;
  return from;
}

const sideAfter = (weights: Weights, index: number): number[] =>
  weights.kg.slice(index + 1, afterTo(weights, index));

function afterTo({ atMs, kg }: Weights, index: number): number {
  const until = (atMs[index + 1] ?? 0) + SIDE_MS;
  let to = index + 2;
  while (to < kg.length && ((atMs[to] ?? 0) < until || to - index - 1 < SIDE_COUNT_MIN)) to += 1;
  return to;
}

const middleMs = ({ atMs }: Weights, from: number, last: number): number =>
  ((atMs[from] ?? 0) + (atMs[Math.min(last, atMs.length - 1)] ?? 0)) / 2;

/**
 * Whether the rise is a step: at most one reading on each side contradicts it, and the latest two confirm it. Otherwise some
 * of the readings are a spike.
 */
function isStep(
  before: readonly number[],
  after: readonly number[],
  beforeKg: number,
  rise: number,
): boolean {
  const isHigh = (kg: number): boolean => kg - beforeKg > STAYS_PART * rise;
  const isLow = (kg: number): boolean => kg - beforeKg < (1 - STAYS_PART) * rise;
  return (
    after.filter(isHigh).length >= after.length - 1 &&
    after.slice(-2).every(isHigh) &&
    before.filter(isLow).length >= before.length - 1
  );
}

/** Whether enough readings after a moment are known to tell a refill from a spike. */
function isComplete({ atMs }: Weights, index: number): boolean {
  const known = atMs.length - index - 1;
  return known >= SIDE_COUNT_MIN && (atMs.at(-1) ?? 0) >= (atMs[index] ?? 0) + SIDE_MS;
}

/** The index of the reading at which most of a rise is lost again; `null` if the rise stays. */
function fallAfter(weights: Weights, last: number, rise: number): number | null {
  const { atMs, kg } = weights;
  const untilMs = (atMs[last] ?? 0) + FELL_BACK_WITHIN_MS;
  for (let at = last + 2; at < kg.length - SIDE_COUNT_MIN && (atMs[at] ?? 0) <= untilMs; at += 1) {
    if ((kg[at - 1] ?? 0) - (kg[at] ?? 0) < FELL_BACK_PART * rise) continue;
    const after = sideAfter(weights, at - 1);
    const lowKg = medianOf(sideBefore(weights, at - 1)) - FELL_BACK_PART * rise;
    // The latest two readings show whether the weight stays low or some weights were wrong.
    if (medianOf(after) < lowKg && after.slice(-2).every((one) => one < lowKg)) return at;
  }
  return null;
}

/** The index of the reading after which the weight fell by about the same amount, so that the rise only ends a series of wrong weights. */
function fallBefore(weights: Weights, first: number, rise: number): number | null {
  const { atMs, kg } = weights;
  const sinceMs = (atMs[first] ?? 0) - FELL_BACK_WITHIN_MS;
  for (let at = first - 1; at > SIDE_COUNT_MIN && (atMs[at] ?? 0) >= sinceMs; at -= 1) {
    const fall = (kg[at - 1] ?? 0) - (kg[at] ?? 0);
    if (fall < FELL_BACK_PART * rise || fall > rise / FELL_BACK_PART) continue;
    const [before, after] = [sideBefore(weights, at - 1), sideAfter(weights, at - 1)];
    const fellKg = medianOf(before) - medianOf(after);
    if (fellKg > FELL_BACK_PART * rise && isStep(after, before.reverse(), medianOf(after), fellKg))
      return at - 1;
  }
  return null;
}

/** Splits a rise in two or more refills if the weight stands still at a height in between for some time. */
function partsOf(
  weights: Weights,
  [first, last, stays]: readonly [number, number, number],
  noise: number,
  capacityKg: number,
): Rise[] {
  const { atMs, kg } = weights;
  const beforeKg = medianOf(sideBefore(weights, first));
  const afterKg = medianOf(sideAfter(weights, stays));
  const flat = Math.max(5 * noise, 0.005 * capacityKg);
  const apart = Math.max(REFILL_PART * capacityKg, 2 * flat);
  let fromKg = beforeKg;
  let from = first;
  let measuredMs = middleMs(weights, beforeFrom(weights, first), first);
  const found: Rise[] = [];
  let at = first + 1;
  while (at < last) {
    let end = at;
    let [min, max] = [kg[at] ?? 0, kg[at] ?? 0];
    while (end + 1 <= last) {
      const next = kg[end + 1] ?? 0;
      if (Math.max(max, next) - Math.min(min, next) > flat) break;
      [min, max] = [Math.min(min, next), Math.max(max, next)];
      end += 1;
    }
    const isPause =
      end - at + 1 >= PAUSE_COUNT_MIN && (atMs[end] ?? 0) - (atMs[at] ?? 0) >= PAUSE_MS - MINUTE_MS;
    const standsKg = medianOf(kg.slice(at, end + 1));
    if (isPause && standsKg - fromKg >= apart && afterKg - standsKg >= apart) {
      const standsMs = middleMs(weights, at, end);
      found.push(riseBetween(weights, from, at, fromKg, standsKg, noise, standsMs - measuredMs));
      [from, fromKg, measuredMs, at] = [end, standsKg, standsMs, end + 1];
    } else at += 1;
  }
  const overMs = middleMs(weights, stays + 1, afterTo(weights, stays) - 1) - measuredMs;
  found.push(riseBetween(weights, from, last, fromKg, afterKg, noise, overMs));
  return found;
}

/** The rise with its times: from the last reading at the old height to the first one at the new height. */
function riseBetween(
  { atMs, kg }: Weights,
  first: number,
  last: number,
  beforeKg: number,
  afterKg: number,
  noise: number,
  measuredOverMs: number,
): Rise {
  const left = beforeKg + Math.max(0.05 * (afterKg - beforeKg), 2 * noise);
  const arrived = afterKg - Math.max(0.03 * (afterKg - beforeKg), 2 * noise);
  const end = Math.min(last + 6, kg.length - 1);
  let from = Math.max(0, first - 1);
  while (from < end && !((kg[from + 1] ?? 0) > left && (kg[from + 2] ?? Number.POSITIVE_INFINITY) > left))
    from += 1;
  let to = from + 1;
  while (to < end && (kg[to] ?? 0) < arrived) to += 1;
  let gapMs = 0;
  for (let at = from + 1; at <= to; at += 1) gapMs = Math.max(gapMs, (atMs[at] ?? 0) - (atMs[at - 1] ?? 0));
  const [fromMs, toMs] = [atMs[from] ?? 0, atMs[to] ?? 0];
  return { fromMs, toMs, beforeKg, afterKg, measuredOverMs, inGap: gapMs > GAP_MS };
}
