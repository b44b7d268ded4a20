import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Failure, OperationPlan, OperationState, Weight } from './state.ts';
import { weightNoiseG } from './weighing.ts';

/** Time for the device to end an operation at its own limit and to report that. */
export const OVERRUN_MARGIN_MS = 30 * SECOND_MS;
export const WATCHDOG_MS_MIN = MINUTE_MS;
/** The watchdog allows a slow operation the time to change the weight by this many times the scale's noise. */
const WATCHDOG_NOISE_FACTOR = 2;

interface Weighed {
  readonly weight: Weight | null;
  readonly capacityG: number;
}

/** Stores the last weight that differs from the previous one by more than noise. */
export function trackMovement(
  operation: OperationState,
  { weight, capacityG }: Weighed,
  nowMs: number,
): OperationState {
  if (weight === null) return operation;
  const { movedWeightG } = operation;
  const hasMoved = movedWeightG === null || Math.abs(weight.valueG - movedWeightG) > weightNoiseG(capacityG);
  if (!hasMoved) return operation;
  // The first weight may be an old reading, so the watchdog counts from now.
  return { ...operation, movedWeightG: weight.valueG, movedAtMs: Math.max(weight.tsMs, nowMs) };
}

/** Why a running operation must be stopped now; `null` if it need not be stopped. */
export function failureOf(
  operation: OperationState,
  { weight, capacityG }: Weighed,
  nowMs: number,
): Failure | null {
  const { plan, acknowledgedAtMs, startedAtMs, movedAtMs } = operation;
  if (plan === null) return null;
  if (nowMs - (acknowledgedAtMs ?? startedAtMs) > plan.maxDurationMs + OVERRUN_MARGIN_MS) {
    return { reason: 'overrun', message: sentence('ran_too_long') };
  }
  // Missing readings do not prove that nothing moves.
  if (weight === null || movedAtMs === null) return null;
  if (weight.tsMs - movedAtMs < watchdogMs(plan, capacityG)) return null;
  return { reason: 'no_movement', message: sentence('weight_does_not_move') };
}

const watchdogMs = ({ rateGPerMin }: OperationPlan, capacityG: number): number =>
  Math.max(WATCHDOG_MS_MIN, ((WATCHDOG_NOISE_FACTOR * weightNoiseG(capacityG)) / rateGPerMin) * MINUTE_MS);
