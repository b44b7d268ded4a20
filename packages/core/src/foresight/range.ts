import { quantileOf } from './robust.ts';
import type { Range } from './types.ts';

/** The days ahead for which the use is scored. */
export const HORIZON_DAYS = [1, 2, 3, 5, 7, 10, 14] as const;
/** The index of the horizon above whose outcomes are shown as the score and adapt the range. */
const SHOWN = 2;
/**
 * The usual half width of the 80 % range for each horizon, as log(actual / predicted) with half a usual day added to both;
 * from the back-test.
 */
const USUAL_WIDTH: readonly number[] = [0.06, 0.065, 0.07, 0.078, 0.086, 0.1, 0.12];
/** The score shows this many of the latest forecasts. */
const SCORE_COUNT = 10;
/** Adaptive conformal inference: the wanted share of misses, the step, and the bounds of the level. */
const MISSES = 0.2;
const STEP = 0.02;
const LEVEL_MIN = 0.04;
const LEVEL_MAX = 0.4;
/** Assumed outcomes of a silo without its own: quantiles of usual outcomes, as factors of the usual width. */
const ASSUMED = [0.05, 0.15, 0.25, 0.35, 0.45, 0.56, 0.67, 0.79, 0.92, 1.08, 1.29, 1.7] as const;
const LEAST_PART = 0.004;
const WIDTH_MIN = 0.3;
const WIDTH_MAX = 6;

/** The outcome of one origin: predicted and actual use for each of `HORIZON_DAYS`; `NaN` if it is not known. */
export interface Outcome {
  readonly predictedKg: readonly number[];
  readonly actualKg: readonly number[];
  /** This amount is added to both, so that a day with nearly no use does not give an infinite ratio. */
  readonly addedKg: number;
}

/** Half of a usual day's use, and at least the amount that may be noise. */
export const addedKgOf = (weekKg: number, capacityKg: number): number =>
  Math.max(weekKg / 14, LEAST_PART * capacityKg);

/**
 * Split conformal prediction: the range is wide enough to have contained the past outcomes of this silo. Each outcome then
 * adapts the level (Gibbs and Candes 2021), so the share of misses tends to the wanted one for any distribution of the data.
 */
export function rangeOf(outcomes: readonly Outcome[]): Range {
  const scores: number[] = [...ASSUMED];
  let level = MISSES;
  const shown: { errorH: number; isInside: boolean }[] = [];
  // The outcome over three days is known three days after its origin.
  const waiting: { score: number; errorH: number; width: number }[] = [];
  for (const outcome of outcomes) {
    const due = waiting.length >= (HORIZON_DAYS[SHOWN] ?? 3) ? waiting.shift() : undefined;
    if (due !== undefined && !Number.isNaN(due.score)) {
      const isInside = due.score <= due.width;
      shown.push({ errorH: due.errorH, isInside });
      level = clamp(level + STEP * (MISSES - (isInside ? 0 : 1)), LEVEL_MIN, LEVEL_MAX);
    }
    waiting.push(scoreOf(outcome, SHOWN, widthAt(scores, level)));
    for (let horizon = 0; horizon < HORIZON_DAYS.length; horizon += 1) {
      const { score } = scoreOf(outcome, horizon, 0);
      if (!Number.isNaN(score)) insert(scores, score);
    }
  }
  const latest = shown.slice(-SCORE_COUNT);
  return {
    width: widthAt(scores, level),
    scored: latest.length,
    meanErrorH: latest.reduce((sum, { errorH }) => sum + errorH, 0) / Math.max(latest.length, 1),
    inside: latest.filter(({ isInside }) => isInside).length,
  };
}

function scoreOf(
  { predictedKg, actualKg, addedKg }: Outcome,
  horizon: number,
  width: number,
): { score: number; errorH: number; width: number } {
  const predicted = (predictedKg[horizon] ?? Number.NaN) + addedKg;
  const actual = (actualKg[horizon] ?? Number.NaN) + addedKg;
  const score = Math.abs(Math.log(actual / predicted)) / (USUAL_WIDTH[horizon] ?? 1);
  // The error in hours: by how much the time differs in which the predicted amount was actually used.
  const errorH =
    ((HORIZON_DAYS[horizon] ?? 0) * 24 * Math.abs(actual - predicted)) / Math.max(actual, predicted);
  return { score, errorH, width };
}

const widthAt = (sorted: readonly number[], level: number): number =>
  clamp(quantileOf(sorted, ((1 - level) * (sorted.length + 1)) / sorted.length), WIDTH_MIN, WIDTH_MAX);

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

function insert(sorted: number[], value: number): void {
  let [low, high] = [-1, sorted.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > value) high = middle;
    else low = middle;
  }
  sorted.splice(high, 0, value);
}

/** The half width, as a logarithm, at any time ahead. */
export function usualWidthAt(daysAhead: number): number {
  const last = HORIZON_DAYS.length - 1;
  let index = 0;
  while (index < last - 1 && (HORIZON_DAYS[index + 1] ?? 0) < daysAhead) index += 1;
  const [fromDay = 1, toDay = 1] = [HORIZON_DAYS[index], HORIZON_DAYS[index + 1]];
  const [from = 0, to = 0] = [USUAL_WIDTH[index], USUAL_WIDTH[index + 1]];
  const at = Math.max(daysAhead, 0.25);
  return Math.max(from + ((to - from) * (at - fromDay)) / (toDay - fromDay), 0.02);
}
