import { Refusal, refusalMessage } from '@granary/contract/errors';
import {
  LEVEL_THRESHOLDS,
  type LevelThreshold,
  type OperationPlan,
  type OperationPlanRequest,
} from '@granary/contract/operations';
import { MINUTE_MS } from '@granary/contract/time';
import { availableFor, planOperation, rateLimitGPerMin, type SiloAtStart } from '../operations/interlocks.ts';
import { startWarnings } from '../operations/start-warnings.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { isBelievable } from '../telemetry/plausibility.ts';
import { fromGrams, fromGramsPerMin, roundTo6, toGrams, toGramsPerMin } from '../units.ts';
import { levelRules } from './rules/level-rules.ts';
import { contains } from './rules/value-range.ts';

/** The usual values that a planned operation is compared with. */
export interface UsualWork {
  /** `null` if too few operations were completed to know a usual amount. */
  readonly amountG: number | null;
  readonly shiftMs: number;
}

/** What an operation would do, whether a person should look twice, and the refusal of the interlocks if it were started now. */
export function previewOperation(
  wanted: OperationPlanRequest,
  silo: SiloAtStart,
  usual: UsualWork,
  nowMs: number,
): OperationPlan {
  const { type, amount, unit = 'kg', rate_unit = 'kg/min' } = wanted;
  const limitGPerMin = rateLimitGPerMin(type, silo.configuration);
  const rateGPerMin = wanted.rate === undefined ? limitGPerMin : toGramsPerMin(wanted.rate, rate_unit);
  const amountG = toGrams(amount, unit);
  const capacityG = toGrams(silo.capacityKg, 'kg');
  const beforeG = knownWeightG(silo);
  const afterG =
    beforeG === null ? null : Math.max(0, type === 'feed' ? beforeG + amountG : beforeG - amountG);
  const minutes = amountG / rateGPerMin;
  const crosses = beforeG === null || afterG === null ? [] : crossed(silo, beforeG, afterG, capacityG);
  const massOrNull = (massG: number | null): number | null =>
    massG === null ? null : fromGrams(massG, unit);
  const levelOrNull = (massG: number | null): number | null =>
    massG === null ? null : roundTo6((massG / capacityG) * 100);
  return {
    estimated_duration: roundTo6(minutes),
    duration_unit: 'minutes',
    unit,
    rate: fromGramsPerMin(rateGPerMin, rate_unit),
    rate_limit: fromGramsPerMin(limitGPerMin, rate_unit),
    rate_unit,
    room: massOrNull(beforeG === null ? null : Math.max(0, availableFor('feed', beforeG, capacityG))),
    stock: massOrNull(beforeG === null ? null : availableFor('discharge', beforeG, capacityG)),
    level_before: levelOrNull(beforeG === null ? null : Math.max(0, beforeG)),
    level_after: levelOrNull(afterG),
    crosses,
    usual_amount: massOrNull(usual.amountG),
    warnings: startWarnings({
      passesThreshold: crosses.length > 0,
      amountG,
      usualG: usual.amountG,
      durationMs: minutes * MINUTE_MS,
      shiftMs: usual.shiftMs,
    }),
    refusal: refusalOf(wanted, silo, nowMs),
  };
}

/** `null` if the device never reported a weight, or if its weight is implausible. */
function knownWeightG({ weight, capacityKg }: SiloAtStart): number | null {
  if (weight === undefined) return null;
  return isBelievable(STANDARD_SENSORS.weight, weight, capacityKg) ? weight.value : null;
}

/** The thresholds that the operation passes, according to the rules that raise the alerts. */
function crossed(
  { configuration }: SiloAtStart,
  beforeG: number,
  afterG: number,
  capacityG: number,
): LevelThreshold[] {
  return levelRules(configuration, capacityG).flatMap(({ type, present }) => {
    const threshold = LEVEL_THRESHOLDS.find((name) => name === type);
    const isPassed = !contains(present, beforeG) && contains(present, afterG);
    return isPassed && threshold !== undefined ? [threshold] : [];
  });
}

/** The container has no part in the decision, so a discharge is judged before its container is known. */
function refusalOf(wanted: OperationPlanRequest, silo: SiloAtStart, nowMs: number): OperationPlan['refusal'] {
  const { type, target_container = '-', ...rest } = wanted;
  try {
    planOperation(type === 'feed' ? { type, ...rest } : { type, ...rest, target_container }, silo, nowMs);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.code, ...refusalMessage(error) };
  }
}
