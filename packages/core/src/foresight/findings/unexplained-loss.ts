import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { noiseOf, rounded } from '../robust.ts';
import { meanOf, median, type Point, pairSlopes } from '../statistics.ts';
import type { LevelReading, Movement, UseDay } from '../types.ts';
import type { Finding } from './finding.ts';

/*
 * Two tests for material that nobody took out: a slope of the balance over several nights, and a step within the last day. Their
 * mathematics stand in docs/foresight-mathematics.md, "Unexplained loss".
 */

/** The limits of a steady loss, in shares of the capacity per day. */
const STEADY_LOSS = {
  /** If these nights cannot show a loss of this rate, the result is inconclusive. */
  detectable: 0.005,
  /** A smaller loss is not reported, however certain it is. */
  reported: 0.0025,
  critical: 0.02,
} as const;
/** A slope below this many standard errors may be chance, and the slope is examined again every night. */
const CERTAIN_STANDARD_ERRORS = 3;
/** A loss of this many standard errors is missed in 5 % of the cases, and reported without a loss in 5 %: 1.645 for each. */
const DETECTABLE_STANDARD_ERRORS = 3.29;
/** Grain loses moisture, and amounts of operations are measured with errors, so this share of the moved amount does not count as a loss. */
export const SHRINK_OF_MOVED = 0.015;
/** The slope needs at least so many nights, and more nights than the greatest number would hide that a loss has begun. */
const NIGHTS = { min: 5, max: 14 } as const;
/** The noise of a scale is assumed to be at least this share of the capacity. */
const NOISE_OF_CAPACITY_MIN = 0.0002;

const STEP = {
  /** The least step that is reported, and the least critical one, in shares of the capacity. */
  reported: 0.01,
  critical: 0.05,
  /** A smaller step, in standard deviations of the readings, may be noise. */
  deviations: 6,
  /** All of this many readings before the step are above all of this many readings after it. */
  readings: 4,
  /** Over a longer gap between the two readings a fall may be usual use. */
  gapMsMax: 45 * MINUTE_MS,
} as const;
/** An operation may begin before its first report, and material still falls after its end. */
const MOVEMENT_MARGIN_MS = 10 * MINUTE_MS;
/** An hour with at most this share of the use of a day counts as an hour in which nothing leaves the silo. */
const QUIET_HOUR_SHARE_MAX = 0.005;

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
  const window = { fromMs: nowMs - NIGHTS.max * DAY_MS, toMs: nowMs };
  const nothing = { type: 'unexplained_loss', result: 'inconclusive', severity: null, limit: null } as const;
  if (withdrawals === 'any') return { ...nothing, code: 'withdrawals_not_known', values: {}, ...window };
  const slope = balanceSlope(days.slice(-NIGHTS.max), capacityKg);
  if (slope === null) {
    const values = {
      nights: days.filter(({ quietKg }) => quietKg !== null).length,
      nights_needed: NIGHTS.min,
    };
    return { ...nothing, code: 'too_few_nights', values, ...window };
  }
  const { nights, kgPerDay, standardErrorKgPerDay, movedKgPerDay } = slope;
  const shrinkKg = SHRINK_OF_MOVED * movedKgPerDay;
  const detectableKg = DETECTABLE_STANDARD_ERRORS * standardErrorKgPerDay + shrinkKg;
  const limitKg = Math.max(
    STEADY_LOSS.reported * capacityKg + shrinkKg,
    CERTAIN_STANDARD_ERRORS * standardErrorKgPerDay + shrinkKg,
  );
  const lossKg = -kgPerDay;
  const values = {
    loss_kg_per_day: rounded(lossKg, 1),
    loss_percent_per_day: rounded((100 * lossKg) / capacityKg, 2),
    least_detectable_kg_per_day: rounded(detectableKg, 1),
    nights,
  };
  const evidence = { type: 'unexplained_loss', values, limit: rounded(limitKg, 1), ...window } as const;
  if (lossKg >= limitKg) {
    const severity = lossKg >= STEADY_LOSS.critical * capacityKg ? 'critical' : 'warning';
    return { ...evidence, result: 'fail', code: 'steady_loss', severity };
  }
  const isBlind = detectableKg > STEADY_LOSS.detectable * capacityKg;
  return isBlind
    ? { ...evidence, result: 'inconclusive', code: 'scale_too_uneven', severity: null }
    : { ...evidence, result: 'pass', code: 'no_loss', severity: null };
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
  if (kgPerDay === null || nights < NIGHTS.min || slopes.length < pairCount(NIGHTS.min)) return null;
  const residuals = segments.flatMap((points) => residualsOf(points, kgPerDay));
  const spread = segments.reduce((sum, points) => sum + squaresAbout(points.map(({ x }) => x)), 0);
  const used = segments.filter(({ length }) => length > 0).length;
  const freedom = Math.max(1, nights - used - 1);
  const variance = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / freedom;
  const deviation = Math.max(Math.sqrt(variance), NOISE_OF_CAPACITY_MIN * capacityKg);
  return {
    nights,
    kgPerDay,
    standardErrorKgPerDay: deviation / Math.sqrt(spread),
    movedKgPerDay: moved / Math.max(1, days.length),
  };
}

const pairCount = (points: number): number => (points * (points - 1)) / 2;

function residualsOf(points: readonly Point[], slope: number): number[] {
  const flat = points.map(({ x, y }) => y - slope * x);
  const mean = meanOf(flat);
  return flat.map((y) => y - mean);
}

/** The sum of the squared distances from the mean; for n consecutive nights it is n(n² − 1)/12. */
function squaresAbout(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** The largest fall of the weight that stayed, at a time when no known operation took material out. */
function stepDown(input: LossInput): Finding | null {
  const { nowMs, capacityKg, readings } = input;
  const leastKg = STEP.reported * capacityKg;
  const fallKg = (index: number): number => (readings[index - 1]?.kg ?? 0) - (readings[index]?.kg ?? 0);
  // Usually there is no step, and the function returns before it computes the noise.
  if (readings.every((_, index) => index === 0 || fallKg(index) < leastKg)) return null;
  const limitKg = Math.max(leastKg, STEP.deviations * noiseOf(readings.map(({ kg }) => kg)));
  let largest: { fromMs: number; toMs: number; kg: number } | null = null;
  for (let index = STEP.readings; index + STEP.readings <= readings.length; index += 1) {
    // Most pairs of readings have no step between them and need no further check.
    if (fallKg(index) < limitKg) continue;
    const before = readings.slice(index - STEP.readings, index);
    const after = readings.slice(index, index + STEP.readings);
    const fromMs = before.at(-1)?.atMs ?? nowMs;
    const toMs = after[0]?.atMs ?? nowMs;
    // The least weight before the step and the greatest after it are compared, so that a use that lasts for hours is not a step.
    const kg = Math.min(...before.map(({ kg }) => kg)) - Math.max(...after.map(({ kg }) => kg));
    if (isExplained(input, fromMs, toMs) || toMs - fromMs > STEP.gapMsMax || kg < limitKg) continue;
    if (largest === null || kg > largest.kg) largest = { fromMs, toMs, kg };
  }
  if (largest === null) return null;
  const { fromMs, toMs, kg } = largest;
  const severity = kg >= STEP.critical * capacityKg ? 'critical' : 'warning';
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

/** Whether an operation, or the usual use of the hour, may have taken out what is missing. */
const isExplained = (
  { movements, withdrawals, usualShareAt }: LossInput,
  fromMs: number,
  toMs: number,
): boolean =>
  movements.some(
    (movement) =>
      movement.fromMs - MOVEMENT_MARGIN_MS <= toMs && movement.toMs + MOVEMENT_MARGIN_MS >= fromMs,
  ) ||
  (withdrawals === 'any' && usualShareAt(fromMs) > QUIET_HOUR_SHARE_MAX);
