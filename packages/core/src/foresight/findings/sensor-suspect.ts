import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { rounded } from '../robust.ts';
import { median } from '../statistics.ts';
import type { LevelReading, UseDay } from '../types.ts';
import type { Finding } from './finding.ts';
import { balanceSlope, SHRINK_OF_MOVED } from './unexplained-loss.ts';

const STUCK_MS = 6 * HOUR_MS;
const STUCK_RESOLUTIONS = 5;
/** The noise of a scale shows within half a day, unless its resolution is coarse; then the scale was as quiet before. */
const STILL_MS = 12 * HOUR_MS;
const STILL_SHARE = 1 / 20;
/** With fewer readings a weight does not count as unchanged, because values in a gap of the readings may have differed. */
const READINGS_MIN = 24;

/** The limits of a drift and of a loss, in shares of the capacity per day. A fall that is reported as a loss is not reported as a drift. */
const DRIFT_OF_CAPACITY = 0.0006;
const LOSS_OF_CAPACITY = 0.0025;
const DRIFT_STANDARD_ERRORS = 4;
const DRIFT_NIGHTS_MIN = 10;
const DRIFT_NIGHTS_MAX = 21;
const DETECTABLE_STANDARD_ERRORS = 3.29;
const TARGET_OF_CAPACITY = 0.001;

export interface SensorInput {
  readonly nowMs: number;
  readonly capacityKg: number;
  readonly withdrawals: 'any' | 'operations_only';
  /** The readings of the last 24 hours or more, ordered by time. */
  readonly readings: readonly LevelReading[];
  /** The greatest minus the smallest weight in half a day, on usual days; `null` if that is not known. */
  readonly usualSpreadKg: number | null;
  /** The expected use between two times. */
  readonly expectedUseKg: (fromMs: number, toMs: number) => number;
  readonly days: readonly Pick<UseDay, 'day' | 'quietKg' | 'refilledKg' | 'dischargedKg'>[];
}

/** Finds a scale whose values never change, or change without a cause. */
export function sensorSuspect(input: SensorInput): Finding {
  return stuck(input) ?? drift(input);
}

function stuck({ nowMs, readings, usualSpreadKg, expectedUseKg }: SensorInput): Finding | null {
  const last = readings.at(-1);
  if (last === undefined) return null;
  const changed = readings.findLastIndex(({ kg }) => kg !== last.kg);
  const same = readings.slice(changed + 1);
  const fromMs = same[0]?.atMs ?? nowMs;
  const unchangedMs = last.atMs - fromMs;
  if (same.length < READINGS_MIN || unchangedMs < STUCK_MS) return null;
  const useKg = expectedUseKg(fromMs, last.atMs);
  const limitKg = STUCK_RESOLUTIONS * resolutionOf(readings.slice(0, changed + 1));
  const isStill = unchangedMs >= STILL_MS && usualSpreadKg !== null && usualSpreadKg * STILL_SHARE > 0;
  if (useKg <= limitKg && !isStill) return null;
  const values = {
    unchanged_h: rounded(unchangedMs / HOUR_MS, 1),
    level_kg: rounded(last.kg, 1),
    expected_use_kg: rounded(useKg, 1),
    usual_spread_kg: usualSpreadKg === null ? null : rounded(usualSpreadKg, 1),
  };
  const limit = (isStill ? STILL_MS : STUCK_MS) / HOUR_MS;
  return {
    type: 'sensor_suspect',
    result: 'fail',
    code: 'stuck',
    severity: 'warning',
    fromMs,
    toMs: last.atMs,
    values,
    limit,
  };
}

/** The smallest change in the readings; one kilogram if there was no change. */
function resolutionOf(readings: readonly LevelReading[]): number {
  const steps = readings.slice(1).flatMap(({ kg }, index) => {
    const step = Math.abs(kg - (readings[index]?.kg ?? kg));
    return step > 0 ? [step] : [];
  });
  return steps.length === 0 ? 1 : Math.min(...steps);
}

/**
 * Finds quiet levels that rise or fall although nothing was moved. The slope over weeks shows this sooner than a cumulative
 * sum of daily differences, because the noise of two successive differences cancels out in the slope.
 */
function drift({ nowMs, capacityKg, withdrawals, days }: SensorInput): Finding {
  const window = { fromMs: nowMs - DRIFT_NIGHTS_MAX * DAY_MS, toMs: nowMs };
  const unknown = {
    type: 'sensor_suspect',
    result: 'inconclusive',
    severity: null,
    limit: null,
    ...window,
  } as const;
  if (withdrawals === 'any') return { ...unknown, code: 'withdrawals_not_known', values: {} };
  const looked = days.slice(-DRIFT_NIGHTS_MAX);
  const slope = balanceSlope(looked, capacityKg);
  if (slope === null || slope.nights < DRIFT_NIGHTS_MIN) {
    const nights = looked.filter(({ quietKg }) => quietKg !== null).length;
    return { ...unknown, code: 'too_few_nights', values: { nights, nights_needed: DRIFT_NIGHTS_MIN } };
  }
  const { nights, kgPerDay, standardErrorKgPerDay, movedKgPerDay } = slope;
  const shrinkKg = SHRINK_OF_MOVED * movedKgPerDay;
  const detectableKg = DETECTABLE_STANDARD_ERRORS * standardErrorKgPerDay + shrinkKg;
  const limitKg =
    Math.max(DRIFT_OF_CAPACITY * capacityKg, DRIFT_STANDARD_ERRORS * standardErrorKgPerDay) + shrinkKg;
  const values = {
    drift_kg_per_day: rounded(kgPerDay, 1),
    drift_percent_per_day: rounded((100 * kgPerDay) / capacityKg, 3),
    least_detectable_kg_per_day: rounded(detectableKg, 1),
    nights,
  };
  const found = { type: 'sensor_suspect', values, limit: rounded(limitKg, 1), ...window } as const;
  const isLoss = kgPerDay <= -(LOSS_OF_CAPACITY * capacityKg + shrinkKg);
  if (Math.abs(kgPerDay) >= limitKg && !isLoss)
    return { ...found, result: 'fail', code: 'drift', severity: 'warning' };
  return detectableKg > TARGET_OF_CAPACITY * capacityKg
    ? { ...found, result: 'inconclusive', code: 'scale_too_uneven', severity: null }
    : { ...found, result: 'pass', code: 'steady', severity: null };
}

/** The median over windows of half a day of the greatest minus the smallest weight; `null` with fewer than three windows. */
export function usualSpreadKg(readings: readonly LevelReading[]): number | null {
  const windows = new Map<number, { least: number; greatest: number }>();
  for (const { atMs, kg } of readings) {
    const key = Math.floor(atMs / STILL_MS);
    const { least, greatest } = windows.get(key) ?? { least: kg, greatest: kg };
    windows.set(key, { least: Math.min(least, kg), greatest: Math.max(greatest, kg) });
  }
  if (windows.size < 3) return null;
  return median([...windows.values()].map(({ least, greatest }) => greatest - least));
}
