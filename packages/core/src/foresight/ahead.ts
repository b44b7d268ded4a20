import { DAY_MS } from '@granary/contract/time';
import { hourProfile, recentKgPerDay } from './history.ts';
import { dayAt, HOURS_PER_DAY, hourOfDay, startOfDay, timeOfHour } from './local-calendar.ts';
import type { Past } from './methods.ts';
import { usualWidthAt } from './range.ts';
import type { ForecastInput } from './types.ts';

/*
 * The use ahead as a distribution, and when an amount is used up. The mathematics stand in docs/foresight-mathematics.md, "The
 * range of the use" and "The time of running empty".
 */

/** A silo that lasts longer gets no date. The calendar of `ForecastInput` reaches from 15 days ago to this many days ahead. */
export const EMPTY_WITHIN_DAYS = 30;
/** The history may end this many days ago. */
export const HISTORY_AGE_DAYS_MAX = 14;
/** 80 % of a normal distribution lie within this many standard deviations of its mean. */
const DEVIATIONS_OF_80_PERCENT = 1.2816;
/** 50 % of a normal distribution lie within this share of the half width in which 80 % lie. */
const HALF_WIDTH_OF_50_PERCENT = 0.5263;

/**
 * The quantiles of the path, p10 to p90, as multiples of the half width of the 80 % range of the use. They begin with high use,
 * because the more is used, the earlier the silo is empty.
 */
export const QUANTILES = [1, HALF_WIDTH_OF_50_PERCENT, 0, -HALF_WIDTH_OF_50_PERCENT, -1] as const;

/** The expected use from now on: the rest of today, and the days after it. */
export interface Ahead {
  readonly today: number;
  /** The expected use of each day, from today on. */
  readonly daily: Float64Array;
  /** The share of a day's use before each of its 24 hours, and 1 at the end. */
  readonly usedBefore: readonly number[];
  readonly usedShareNow: number;
}

export function useAhead(
  { calendar, history, nowMs, level }: ForecastInput,
  today: number,
  days: Float64Array,
): Ahead {
  const origin = history === null ? today : history.firstDay + history.kg.length;
  // The history may end some days ago, or before yesterday if yesterday is not closed yet.
  const skipped = Math.min(Math.max(today - origin, 0), HISTORY_AGE_DAYS_MAX);
  const daily = days.slice(skipped, skipped + EMPTY_WITHIN_DAYS + 1);
  const usedBefore = [0];
  for (const share of history === null ? [] : hourProfile(history))
    usedBefore.push((usedBefore.at(-1) ?? 0) + share);
  const readingMs = Math.max(level?.atMs ?? nowMs, startOfDay(calendar, today));
  const usedShareNow = shareBefore(usedBefore, hourOfDay(calendar, today, readingMs));
  return { today, daily, usedBefore, usedShareNow };
}

/** The expected use of the next seven days. */
export const weekKg = ({ daily }: Ahead): number => daily.slice(0, 7).reduce((sum, kg) => sum + kg, 0);

/** The share of a day's use before a time of the day; within an hour the use is even. */
function shareBefore(usedBefore: readonly number[], hour: number): number {
  const whole = Math.min(Math.floor(hour), HOURS_PER_DAY - 1);
  const [from = 0, to = 1] = [usedBefore[whole], usedBefore[whole + 1]];
  return from + (to - from) * (hour - whole);
}

/** The hour of a day until which a share of its use takes place. */
function hourOfShare(usedBefore: readonly number[], share: number): number {
  let hour = 0;
  while (hour < HOURS_PER_DAY - 1 && (usedBefore[hour + 1] ?? 1) < share) hour += 1;
  const [from = 0, to = 1] = [usedBefore[hour], usedBefore[hour + 1]];
  return to > from ? hour + Math.min(Math.max((share - from) / (to - from), 0), 1) : hour;
}

/** The usual use between two times; of the same weekdays of the last two weeks the one with less use counts. */
export function usualKg(
  { calendar }: ForecastInput,
  { usedBefore }: Ahead,
  past: Past,
  [fromMs, toMs]: readonly [number, number],
): number {
  const [first, last] = [dayAt(calendar, fromMs), dayAt(calendar, toMs)];
  const usual = recentKgPerDay(past);
  const known = (kg: number | undefined, otherwise: number): number =>
    kg === undefined || Number.isNaN(kg) ? otherwise : kg;
  let sum = 0;
  for (let day = first; day <= last; day += 1) {
    const from = day === first ? shareBefore(usedBefore, hourOfDay(calendar, day, fromMs)) : 0;
    const to = day === last ? shareBefore(usedBefore, hourOfDay(calendar, day, toMs)) : 1;
    const at = past.values.length + day - past.originDay;
    const weekAgo = known(past.values[at - 7], usual);
    sum += Math.max(0, to - from) * Math.min(weekAgo, known(past.values[at - 14], weekAgo));
  }
  return sum;
}

/** The amount that the animals may use until they leave; infinite if that day is not known or is far away. */
export function neededUntilEnd(
  { calendar, nowMs, configuration }: ForecastInput,
  { today, daily, usedShareNow }: Ahead,
  spread: Spread,
): number {
  const endsOnDay = configuration.animals?.endsOnDay ?? null;
  if (endsOnDay === null || endsOnDay <= today || endsOnDay - today > daily.length)
    return Number.POSITIVE_INFINITY;
  const expected = daily.slice(0, endsOnDay - today).reduce((sum, kg) => sum + kg, 0);
  const usedKgToday = (daily[0] ?? 0) * usedShareNow;
  return usedKg(expected - usedKgToday, (startOfDay(calendar, endsOnDay) - nowMs) / DAY_MS, spread);
}

/** What makes the range of the use: which quantile is asked for, how wide the range of this silo is, and the error of its scale. */
export interface Spread {
  /** One of `QUANTILES`. */
  readonly quantile: number;
  /** The factor of the usual width. */
  readonly width: number;
  /** Added to the use before its range is computed, so that nearly no use has a range, too. */
  readonly addedKg: number;
  /** The standard deviation of the level. */
  readonly deviationKg: number;
}

/** The quantile of the use in the days ahead; its range combines the uncertainty of the use and that of the level. */
function usedKg(
  expectedKg: number,
  daysAhead: number,
  { quantile, width, addedKg, deviationKg }: Spread,
): number {
  if (quantile === 0) return expectedKg;
  const log = usualWidthAt(daysAhead) * width;
  const spread = (expectedKg + addedKg) * (quantile > 0 ? Math.exp(log) - 1 : 1 - Math.exp(-log));
  const off = Math.sqrt(spread ** 2 + (DEVIATIONS_OF_80_PERCENT * deviationKg) ** 2);
  return Math.max(0, expectedKg + quantile * off);
}

/** The time at which an amount is used up; `null` if it is not used up within `EMPTY_WITHIN_DAYS`. */
export function timeWhenUsed(
  { calendar, nowMs }: ForecastInput,
  { today, daily, usedBefore, usedShareNow }: Ahead,
  kg: number,
  spread: Spread,
): number | null {
  if (kg <= 0) return nowMs;
  let expected = 0;
  let usedAtStart = 0;
  for (let index = 0; index < daily.length; index += 1) {
    const fromShare = index === 0 ? usedShareNow : 0;
    expected += (daily[index] ?? 0) * (1 - fromShare);
    const endMs = startOfDay(calendar, today + index + 1);
    const usedAtEnd = Math.max(usedAtStart, usedKg(expected, (endMs - nowMs) / DAY_MS, spread));
    if (usedAtEnd >= kg) {
      const part = usedAtEnd > usedAtStart ? (kg - usedAtStart) / (usedAtEnd - usedAtStart) : 0;
      const hour = hourOfShare(usedBefore, fromShare + (1 - fromShare) * part);
      return Math.max(nowMs, Math.round(timeOfHour(calendar, today + index, hour)));
    }
    usedAtStart = usedAtEnd;
  }
  return null;
}

/** The use until a time, for each quantile. */
export function usedUntil(
  { calendar, nowMs }: ForecastInput,
  { today, daily, usedBefore, usedShareNow }: Ahead,
  spreadFor: (quantile: number) => Spread,
  timeMs: number,
): number[] {
  const day = dayAt(calendar, timeMs);
  const share = shareBefore(usedBefore, hourOfDay(calendar, day, timeMs));
  return QUANTILES.map((quantile) => {
    const spread = spreadFor(quantile);
    let [expected, from] = [0, 0];
    for (let index = 0; index <= day - today; index += 1) {
      const fromShare = index === 0 ? usedShareNow : 0;
      const startsKg = from;
      expected += (daily[Math.min(index, daily.length - 1)] ?? 0) * (1 - fromShare);
      const endMs = startOfDay(calendar, today + index + 1);
      from = Math.max(from, usedKg(expected, (endMs - nowMs) / DAY_MS, spread));
      if (index === day - today) {
        const part = fromShare < 1 ? Math.max(0, (share - fromShare) / (1 - fromShare)) : 1;
        from = startsKg + (from - startsKg) * part;
      }
    }
    return from;
  });
}
