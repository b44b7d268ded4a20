import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { noiseOf, rounded } from '../robust.ts';
import { median, medianSlope, type Point } from '../statistics.ts';
import type { LevelReading, Movement, UseDay } from '../types.ts';
import type { Finding } from './finding.ts';

/** The rate that has to be detectable, in shares of the capacity per day, and the rate from which a loss is reported. */
const TARGET_OF_CAPACITY = 0.005;
const TOLD_OF_CAPACITY = 0.0025;
const CRITICAL_OF_CAPACITY = 0.02;
/** A slope below this many standard errors may be chance, and the slope is examined again every night. */
const STANDARD_ERRORS_MIN = 3;
/** Allows 5 % for a false alarm and 5 % for a missed loss: 1.645 standard errors for each. */
const DETECTABLE_STANDARD_ERRORS = 3.29;
/** Grain loses moisture, and amounts of operations are measured with errors, so this share of the moved amount does not count as a loss. */
export const SHRINK_OF_MOVED = 0.015;
const NIGHTS_MIN = 5;
const NIGHTS_MAX = 14;
/** The noise of a scale is assumed to be at least this share of the capacity. */
const DEVIATION_OF_CAPACITY_MIN = 0.0002;

const STEP_OF_CAPACITY = 0.01;
const STEP_CRITICAL_OF_CAPACITY = 0.05;
const STEP_DEVIATIONS = 6;
const STEP_READINGS = 4;
const STEP_MS_MAX = 45 * MINUTE_MS;
/** An operation may begin before its first report, and material still falls after its end. */
const MOVEMENT_MARGIN_MS = 10 * MINUTE_MS;
/** An hour with at most this share of the use of a day counts as an hour in which nothing leaves the silo. */
const QUIET_SHARE_MAX = 0.005;

export interface LossInput {
  readonly nowMs: number;
  readonly capacityKg: number;
  readonly withdrawals: 'any' | 'operations_only';
  /** The last nights, ordered by time; the last one may be open. */
  readonly days: readonly Pick<UseDay, 'day' | 'quietKg' | 'refilledKg' | 'dischargedKg'>[];
  /** The readings of the last 24 hours, ordered by time. */
  readonly readings: readonly LevelReading[];
  /** The refills and operations of the last 24 hours. */
  readonly movements: readonly Pick<Movement, 'fromMs' | 'toMs'>[];
  /** The share of a day's use that usually falls into the hour of this time. */
  readonly usualShareAt: (ms: number) => number;
}

/** The change of a silo's balance that no refill and no operation explains. */
export interface BalanceSlope {
  readonly nights: number;
  readonly kgPerDay: number;
  readonly standardErrorKgPerDay: number;
  readonly movedKgPerDay: number;
}

/** There are three results, as in leak tests of tanks: a loss is found, excluded, or too small for this scale and these nights. */
export function unexplainedLoss(input: LossInput): Finding {
  const step = stepDown(input);
  if (step !== null) return step;
  const { nowMs, capacityKg, withdrawals, days } = input;
  const window = { fromMs: nowMs - NIGHTS_MAX * DAY_MS, toMs: nowMs };
  const nothing = { type: 'unexplained_loss', result: 'inconclusive', severity: null, limit: null } as const;
  if (withdrawals === 'any') return { ...nothing, code: 'withdrawals_not_known', values: {}, ...window };
  const slope = balanceSlope(days.slice(-NIGHTS_MAX), capacityKg);
  if (slope === null) {
    const values = {
      nights: days.filter(({ quietKg }) => quietKg !== null).length,
      nights_needed: NIGHTS_MIN,
    };
    return { ...nothing, code: 'too_few_nights', values, ...window };
  }
  const { nights, kgPerDay, standardErrorKgPerDay, movedKgPerDay } = slope;
  const shrinkKg = SHRINK_OF_MOVED * movedKgPerDay;
  const detectableKg = DETECTABLE_STANDARD_ERRORS * standardErrorKgPerDay + shrinkKg;
  const limitKg = Math.max(
    TOLD_OF_CAPACITY * capacityKg + shrinkKg,
    STANDARD_ERRORS_MIN * standardErrorKgPerDay + shrinkKg,
  );
  const lossKg = -kgPerDay;
  const values = {
    loss_kg_per_day: rounded(lossKg, 1),
    loss_percent_per_day: rounded((100 * lossKg) / capacityKg, 2),
    least_detectable_kg_per_day: rounded(detectableKg, 1),
    nights,
  };
  const found = { type: 'unexplained_loss', values, limit: rounded(limitKg, 1), ...window } as const;
  if (lossKg >= limitKg) {
    const severity = lossKg >= CRITICAL_OF_CAPACITY * capacityKg ? 'critical' : 'warning';
    return { ...found, result: 'fail', code: 'steady_loss', severity };
  }
  const isBlind = detectableKg > TARGET_OF_CAPACITY * capacityKg;
  return isBlind
    ? { ...found, result: 'inconclusive', code: 'scale_too_uneven', severity: null }
    : { ...found, result: 'pass', code: 'no_loss', severity: null };
}

/**
 * The slope of the quiet levels after the discharged amounts are added back. The error of a measured refill is as large as
 * the loss of several days, so only nights between the same two refills are compared.
 */
export function balanceSlope(
  days: readonly Pick<UseDay, 'day' | 'quietKg' | 'refilledKg' | 'dischargedKg'>[],
  capacityKg: number,
): BalanceSlope | null {
  const segments: Point[][] = [[]];
  let discharged = 0;
  let nights = 0;
  let moved = 0;
  for (const { day, quietKg, refilledKg, dischargedKg } of days) {
    if (quietKg !== null) {
      segments.at(-1)?.push({ x: day, y: quietKg + discharged });
      nights += 1;
    }
    discharged += dischargedKg;
    moved += dischargedKg + refilledKg;
    if (refilledKg > 0) segments.push([]);
  }
  const slopes = segments.flatMap(pairSlopes);
  const kgPerDay = median(slopes);
  if (kgPerDay === null || nights < NIGHTS_MIN || slopes.length < pairCount(NIGHTS_MIN)) return null;
  const residuals = segments.flatMap((points) => residualsOf(points, kgPerDay));
  const spread = segments.reduce((sum, points) => sum + squaresAbout(points.map(({ x }) => x)), 0);
  const used = segments.filter(({ length }) => length > 0).length;
  const freedom = Math.max(1, nights - used - 1);
  const variance = residuals.reduce((sum, one) => sum + one * one, 0) / freedom;
  const deviation = Math.max(Math.sqrt(variance), DEVIATION_OF_CAPACITY_MIN * capacityKg);
  return {
    nights,
    kgPerDay,
    standardErrorKgPerDay: deviation / Math.sqrt(spread),
    movedKgPerDay: moved / Math.max(1, days.length),
  };
}

function pairSlopes(points: readonly Point[]): number[] {
  return points.flatMap((from, index) =>
    points.slice(index + 1).flatMap((to) => medianSlope([from, to]) ?? []),
  );
}

const pairCount = (points: number): number => (points * (points - 1)) / 2;

function residualsOf(points: readonly Point[], slope: number): number[] {
  const flat = points.map(({ x, y }) => y - slope * x);
  const mean = meanOf(flat);
  return flat.map((one) => one - mean);
}

/** The sum of the squared distances from the mean; for n consecutive nights it is n(n² − 1)/12. */
function squaresAbout(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, one) => sum + (one - mean) ** 2, 0);
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);

/** The largest fall of the weight that stayed, at a time when no known operation took material out. */
function stepDown({
  nowMs,
  capacityKg,
  withdrawals,
  readings,
  movements,
  usualShareAt,
}: LossInput): Finding | null {
  const leastKg = STEP_OF_CAPACITY * capacityKg;
  const fallKg = (index: number): number => (readings[index - 1]?.kg ?? 0) - (readings[index]?.kg ?? 0);
  // Usually there is no step, and the function returns before it computes the noise.
  if (readings.every((_, index) => index === 0 || fallKg(index) < leastKg)) return null;
  const limitKg = Math.max(leastKg, STEP_DEVIATIONS * noiseOf(readings.map(({ kg }) => kg)));
  let largest: { fromMs: number; toMs: number; kg: number } | null = null;
  for (let index = STEP_READINGS; index + STEP_READINGS <= readings.length; index += 1) {
    // Most pairs of readings have no step between them and need no further check.
    if (fallKg(index) < limitKg) continue;
    const before = readings.slice(index - STEP_READINGS, index);
    const after = readings.slice(index, index + STEP_READINGS);
    const fromMs = before.at(-1)?.atMs ?? nowMs;
    const toMs = after[0]?.atMs ?? nowMs;
    // The least weight before the step and the greatest after it are compared, so that a use that lasts for hours is not a step.
    const kg = Math.min(...before.map((one) => one.kg)) - Math.max(...after.map((one) => one.kg));
    const isExplained =
      movements.some(
        (one) => one.fromMs - MOVEMENT_MARGIN_MS <= toMs && one.toMs + MOVEMENT_MARGIN_MS >= fromMs,
      ) ||
      (withdrawals === 'any' && usualShareAt(fromMs) > QUIET_SHARE_MAX);
    if (isExplained || toMs - fromMs > STEP_MS_MAX || kg < limitKg) continue;
    if (largest === null || kg > largest.kg) largest = { fromMs, toMs, kg };
  }
  if (largest === null) return null;
  const { fromMs, toMs, kg } = largest;
  const severity = kg >= STEP_CRITICAL_OF_CAPACITY * capacityKg ? 'critical' : 'warning';
  const values = { loss_kg: rounded(kg, 1), loss_percent: rounded((100 * kg) / capacityKg, 2) };
  return {
    type: 'unexplained_loss',
    result: 'fail',
    code: 'step_down',
    severity,
    fromMs,
    toMs,
    values,
    limit: rounded(limitKg, 1),
  };
}
