import { broilerKg, expectedKg } from './animals.ts';
import { weekdayOf } from './local-calendar.ts';
import { medianOf } from './robust.ts';
import type { Animals } from './types.ts';

/** The number of days before an origin that a method uses, and the greater number for the method that looks for cycles. */
const WINDOW_DAYS = 35;
export const CYCLE_DAYS = 100;

const SMOOTHING = 0.35;
const TREND_DAYS = 10;
const TREND_DAYS_MIN = 5;
const TREND_KEPT = 0.92;
const HOLT = { level: 0.5, trend: 0.15, kept: 0.93 };
const WEEKDAY_DAYS = 28;
const WEEKDAY_LEVEL_DAYS = 8;
const WEEKDAY_FACTOR_MIN = 0.25;
const WEEKDAY_KNOWN_MIN = 14;
const HOLIDAY_PART = 0.2;
export const CYCLE_IDLE_DAYS = 3;
export const CYCLE_IDLE_PART = 0.08;
/** Animals count as young up to this day of use, if the use of the first days was below this share of the highest use. */
const YOUNG_DAYS_MAX = 45;
const YOUNG_PART = 0.25;
const CURVE_RATIO_DAYS = 5;
const OTHERS_PART = 0.05;

/** The use of the days before an origin: `values.at(-1)` is the day before it; `NaN` is a day whose use is not known. */
export interface Past {
  readonly originDay: number;
  readonly values: readonly number[];
  /** The days since the present use began; all days if it did not begin after idle days. */
  readonly recent: readonly number[];
  readonly animals: Animals | null;
}

/** Writes the expected use of the days from the origin on; returns `false` if the method has no answer. */
type Method = (past: Past, out: Float64Array) => boolean;

const mean7: Method = ({ recent }, out) => fillWith(out, meanOfLast(recent, 7, 10));
const mean3: Method = ({ recent }, out) => fillWith(out, meanOfLast(recent, 3, 5));
const last: Method = ({ recent }, out) => fillWith(out, meanOfLast(recent, 1, 3));

function meanOfLast(values: readonly number[], count: number, within: number): number {
  let sum = 0;
  let known = 0;
  for (let back = 1; back <= within && known < count; back += 1) {
    const value = values[values.length - back] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    known += 1;
  }
  return known === 0 ? Number.NaN : sum / known;
}

function fillWith(out: Float64Array, value: number): boolean {
  if (Number.isNaN(value)) return false;
  out.fill(Math.max(0, value));
  return true;
}

const smoothed: Method = ({ recent: values }, out) => {
  let level = Number.NaN;
  for (let index = Math.max(0, values.length - WINDOW_DAYS); index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    level = Number.isNaN(level) ? value : level + SMOOTHING * (value - level);
  }
  return fillWith(out, level);
};

const holt: Method = ({ recent: values }, out) => {
  let level = Number.NaN;
  let trend = 0;
  for (let index = Math.max(0, values.length - WINDOW_DAYS); index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    const expected = level + HOLT.kept * trend;
    if (Number.isNaN(value)) {
      level = expected;
    } else if (Number.isNaN(level)) {
      level = value;
    } else {
      const next = expected + HOLT.level * (value - expected);
      trend = HOLT.kept * trend + HOLT.trend * (next - level - HOLT.kept * trend);
      level = next;
    }
  }
  return fillTrend(out, level, trend, HOLT.kept);
};

/** The trend of Theil and Sen: the median of the slopes of all pairs of days. */
const trend: Method = ({ recent: values }, out) => {
  const slopes: number[] = [];
  const from = Math.max(0, values.length - TREND_DAYS);
  let known = 0;
  for (let index = from; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    known += 1;
    for (let earlier = from; earlier < index; earlier += 1) {
      const slope = (value - (values[earlier] ?? Number.NaN)) / (index - earlier);
      if (!Number.isNaN(slope)) slopes.push(slope);
    }
  }
  if (known < TREND_DAYS_MIN) return false;
  const slope = medianOf(slopes);
  const levels: number[] = [];
  for (let index = from; index < values.length; index += 1) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isNaN(value)) levels.push(value + slope * (values.length - 1 - index));
  }
  return fillTrend(out, medianOf(levels), slope, TREND_KEPT);
};

/** Writes a trend that fades, so that the values of far days stay plausible. */
function fillTrend(out: Float64Array, level: number, slope: number, kept: number): boolean {
  if (Number.isNaN(level)) return false;
  let step = slope;
  let value = level;
  for (let ahead = 0; ahead < out.length; ahead += 1) {
    step *= kept;
    value += step;
    out[ahead] = Math.max(0, value);
  }
  return true;
}

/** Multiplies the present level by the share of each weekday in the last four weeks. */
const weekday: Method = (past, out) => {
  const factors = weekdayFactors(past);
  if (factors === null) return false;
  const { values, originDay } = past;
  const levels: number[] = [];
  for (let back = 1; back <= WEEKDAY_LEVEL_DAYS; back += 1) {
    const value = values[values.length - back] ?? Number.NaN;
    const factor = factors[weekdayOf(originDay - back)] ?? 0;
    if (!Number.isNaN(value) && factor > WEEKDAY_FACTOR_MIN) levels.push(value / factor);
  }
  if (levels.length < 3) return false;
  const level = medianOf(levels);
  for (let ahead = 0; ahead < out.length; ahead += 1)
    out[ahead] = Math.max(0, level * (factors[weekdayOf(originDay + ahead)] ?? 0));
  return true;
};

/** Repeats the same weekdays of the last two weeks; this method has an answer before enough days for weekday shares are known. */
const lastWeeks: Method = ({ values }, out) => {
  for (let ahead = 0; ahead < out.length; ahead += 1) {
    const back = 7 - (ahead % 7);
    const [one, other] = [
      values[values.length - back] ?? Number.NaN,
      values[values.length - back - 7] ?? Number.NaN,
    ];
    if (Number.isNaN(one) && Number.isNaN(other)) return false;
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    // If one of the two days has far less use than the other one, it was a holiday.
    const both = low < HOLIDAY_PART * high ? high : (low + high) / 2;
    const single = Number.isNaN(one) ? other : one;
    out[ahead] = Number.isNaN(both) ? single : both;
  }
  return true;
};

/** The ratio of each weekday, Monday first, to the mean; `null` if too few days are known. Medians make one holiday harmless. */
export function weekdayFactors({ values, originDay }: Past): number[] | null {
  const byWeekday: number[][] = [[], [], [], [], [], [], []];
  let known = 0;
  for (let back = 1; back <= Math.min(values.length, WEEKDAY_DAYS); back += 1) {
    const value = values[values.length - back] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    byWeekday[weekdayOf(originDay - back)]?.push(value);
    known += 1;
  }
  if (known < WEEKDAY_KNOWN_MIN || byWeekday.some(({ length }) => length === 0)) return null;
  const medians = byWeekday.map((one) => medianOf(one));
  const mean = medians.reduce((sum, one) => sum + one, 0) / 7;
  return mean > 0 ? medians.map((one) => one / mean) : null;
}

/** Multiplies the feed that the curve of the animals expects by the ratio of the last days. */
const curve: Method = ({ values, originDay, animals }, out) => {
  if (animals === null) return false;
  if (expectedKg(animals, originDay) === null) return false;
  // Other animals may have been there before these animals came.
  if (originDay < animals.startedOnDay && meanOfLast(values, 2, 3) > OTHERS_PART * expectedMost(animals))
    return false;
  const ratio = curveRatio({ values, originDay, animals });
  for (let ahead = 0; ahead < out.length; ahead += 1)
    out[ahead] = (expectedKg(animals, originDay + ahead) ?? 0) * ratio;
  return true;
};

const expectedMost = (animals: Animals): number =>
  expectedKg(animals, (animals.endsOnDay ?? animals.startedOnDay + 36) - 1) ?? 0;

/** The ratio of the actual use to the curve: the median of the last days with animals, weakened if few days are known, and limited. */
function curveRatio(past: Omit<Past, 'recent'>): number {
  const ratios = curveRatios(past);
  // With fewer than three days the ratio counts only in part, because the first days of small animals are uncertain.
  if (ratios.length === 0) return 1;
  const part = Math.min(1, ratios.length / 3);
  return Math.min(Math.max(1 + part * (medianOf(ratios) - 1), 0.5), 1.5);
}

/** The same ratio without weakening and limits; `null` if the curve expects no use, and on the first days. */
export function useOfCurve(past: Past): number | null {
  const ratios = curveRatios(past);
  return ratios.length === 0 ? null : medianOf(ratios);
}

function curveRatios({ values, originDay, animals }: Omit<Past, 'recent'>): number[] {
  if (animals === null) return [];
  const ratios: number[] = [];
  for (let back = 1; back <= 9 && ratios.length < CURVE_RATIO_DAYS; back += 1) {
    const value = values[values.length - back] ?? Number.NaN;
    const expected = expectedKg(animals, originDay - back) ?? 0;
    if (!Number.isNaN(value) && expected > 0) ratios.push(value / expected);
  }
  return ratios;
}

/** Repeats the last cycle between two idle times, for animals that nobody entered. */
const cycle: Method = ({ values }, out) => {
  const from = Math.max(0, values.length - CYCLE_DAYS);
  const days = values.slice(from);
  const high = highOf(days);
  if (!(high > 0)) return false;
  const runs = busyRuns(days, CYCLE_IDLE_PART * high);
  const present = runs.at(-1);
  if (present === undefined) return false;
  const isIdle = days.length - present.end >= CYCLE_IDLE_DAYS;
  const before = isIdle ? present : runs.at(-2);
  // The first run may have begun before the first known day.
  if (before === undefined || before.start === 0) return false;
  const next = runs.at(runs.indexOf(before) + 1);
  const idleBefore = runs.at(runs.indexOf(before) - 1);
  const idleDays =
    next === undefined ? before.start - (idleBefore?.end ?? before.start - 7) : next.start - before.end;
  const length = before.end - before.start;
  let age = isIdle ? days.length - before.end - idleDays : days.length - present.start;
  if (isIdle && age >= 0) age = -1;
  const ratio = isIdle ? 1 : cycleRatio(days, present.start, before.start, length);
  for (let ahead = 0; ahead < out.length; ahead += 1) {
    const at = age + ahead;
    const within = at < 0 ? at : at % (length + idleDays);
    const value = within < 0 || within >= length ? 0 : (days[before.start + within] ?? 0);
    out[ahead] = Math.max(0, (Number.isNaN(value) ? 0 : value) * ratio);
  }
  return true;
};

/** Predicts the use of animals that came after idle days and began with little: they grow like broilers, in a number that fits the use. */
const young: Method = ({ values }, out) => {
  const days = values.slice(Math.max(0, values.length - CYCLE_DAYS));
  const high = highOf(days);
  const run = busyRuns(days, CYCLE_IDLE_PART * high).at(-1);
  if (run === undefined || run.start === 0 || days.length - run.end >= CYCLE_IDLE_DAYS) return false;
  const age = days.length - run.start;
  if (
    age < 2 ||
    age > YOUNG_DAYS_MAX ||
    !(meanOfLast(days.slice(0, run.start + 3), 3, 3) < YOUNG_PART * high)
  )
    return false;
  let [used, expected] = [0, 0];
  for (let back = 1; back <= Math.min(age, 4); back += 1) {
    const value = days[days.length - back] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    used += value;
    expected += broilerKg(age - back + 1);
  }
  if (expected === 0) return false;
  for (let ahead = 0; ahead < out.length; ahead += 1)
    out[ahead] = (used / expected) * broilerKg(age + ahead + 1);
  return true;
};

/** The days of the present use, without the last idle days and all days before them. */
export function sinceIdle(values: readonly number[]): readonly number[] {
  const run = busyRuns(values, CYCLE_IDLE_PART * highOf(values)).at(-1);
  return run === undefined || values.length - run.end >= CYCLE_IDLE_DAYS ? values : values.slice(run.start);
}

/** The use of a day with much use: nine of ten days have less. */
function highOf(days: readonly number[]): number {
  const sorted = days.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.9)] ?? 0;
}

function cycleRatio(days: readonly number[], start: number, reference: number, length: number): number {
  let [now, then] = [0, 0];
  for (let back = 1; back <= 5; back += 1) {
    const age = days.length - back - start;
    const [one, other] = [days[start + age] ?? Number.NaN, days[reference + age] ?? Number.NaN];
    if (age < 0 || age >= length || Number.isNaN(one) || Number.isNaN(other)) continue;
    now += one;
    then += other;
  }
  return then > 0 ? Math.min(Math.max(now / then, 0.5), 2) : 1;
}

interface Run {
  readonly start: number;
  /** The first idle day after the run. */
  end: number;
}

/** The runs of days with use that are separated by at least three idle days. */
function busyRuns(days: readonly number[], limit: number): Run[] {
  const runs: Run[] = [];
  for (const [index, value] of days.entries()) {
    if (!(value > limit)) continue;
    const run = runs.at(-1);
    if (run !== undefined && index - run.end < CYCLE_IDLE_DAYS) run.end = index + 1;
    else runs.push({ start: index, end: index + 1 });
  }
  return runs;
}

/** The methods, with the error over three days, as a share of the use, that is assumed until outcomes are known. The order is stored. */
export const METHODS: readonly { readonly predict: Method; readonly assumedError: number }[] = [
  { predict: mean7, assumedError: 0.12 },
  { predict: mean3, assumedError: 0.12 },
  { predict: last, assumedError: 0.16 },
  { predict: smoothed, assumedError: 0.12 },
  { predict: trend, assumedError: 0.14 },
  { predict: holt, assumedError: 0.14 },
  { predict: weekday, assumedError: 0.12 },
  { predict: lastWeeks, assumedError: 0.14 },
  { predict: cycle, assumedError: 0.15 },
  { predict: young, assumedError: 0.1 },
  { predict: curve, assumedError: 0.08 },
];
