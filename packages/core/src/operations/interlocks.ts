import type { SiloConfiguration } from '@granary/contract/configuration/silo-configuration';
import { type ErrorCode, Refusal } from '@granary/contract/errors';
import { issueOf } from '@granary/contract/input/validation-issues';
import type { DischargeRequest, FeedRequest, OperationType } from '@granary/contract/operations';
import { sentence } from '@granary/contract/sentences/codes';
import type { RefusalMessage } from '@granary/contract/sentences/refusals';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isInForce } from '../devices/maintenance.ts';
import { deviceStatus, type Presence } from '../devices/status.ts';
import type { LatestValue } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { isBelievable } from '../telemetry/plausibility.ts';
import { fromGrams, fromGramsPerMin, roundTo6, toGrams, toGramsPerMin } from '../units.ts';
import { operationInProgress } from './sentences.ts';
import { holdsDevice, type OperationPlan, type OperationState } from './state.ts';
import { movedSinceG } from './weighing.ts';

export const READING_AGE_MS_MAX = MINUTE_MS;
export const START_EXPIRY_MS = 10 * SECOND_MS;
/** Allows for the material that still falls after the device has closed its gate. */
const OVERSHOOT_SHARE_MAX = 0.02;
/** Slow starts and bridging material delay an operation up to this factor; a longer one is stuck. */
const DURATION_FACTOR_MAX = 1.5;
const DURATION_MARGIN_MS = MINUTE_MS;
/** The largest silo at the default rate takes 70 days. */
const DURATION_MS_MAX = 90 * DAY_MS;

export interface SiloAtStart {
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly presence: Presence;
  /** The newest stored weight, in grams. */
  readonly weight: LatestValue | undefined;
  readonly capacityKg: number;
  readonly configuration: SiloConfiguration;
  /** The operations that run, whose end is not certain, or that ended so recently that the weight may not show them. */
  readonly operations: readonly OperationState[];
}

export type OperationRequest =
  | ({ readonly type: 'feed' } & FeedRequest)
  | ({ readonly type: 'discharge' } & DischargeRequest);

/** Returns the plan of an operation that may begin now, or throws the first refusal. */
export function planOperation(request: OperationRequest, silo: SiloAtStart, nowMs: number): OperationPlan {
  // A device in declared maintenance may be switched off; the refusal names the maintenance, not the missing connection.
  if (isInForce(silo.presence.maintenance, nowMs)) refuseInMaintenance();
  const weightG = usableWeightG(silo, nowMs);
  refuseWhileOperating(silo.operations);
  if (deviceStatus(silo.presence, nowMs) === 'maintenance') refuseInMaintenance();
  const rateGPerMin = permittedRate(request, silo.configuration);
  const amountG = toGrams(request.amount, request.unit ?? 'kg');
  if (amountG < 1) {
    refuse('invalid_input', sentence('amount_too_small'), [
      issueOf('/amount', sentence('is_less_than_a_gram')),
    ]);
  }
  const notWeighedG = unweighedG(request.type, silo);
  const availableG = availableFor(request.type, weightG, toGrams(silo.capacityKg, 'kg')) - notWeighedG;
  if (amountG > availableG) refuseAmount(request, availableG, notWeighedG);
  const durationMs = (amountG / rateGPerMin) * MINUTE_MS;
  if (durationMs > DURATION_MS_MAX) {
    const days = DURATION_MS_MAX / DAY_MS;
    refuse('invalid_input', sentence('rate_too_low', { days }), [
      { path: '/rate', message: `would take longer than ${days} days` },
    ]);
  }
  return {
    amountG,
    unit: request.unit ?? 'kg',
    rateGPerMin,
    rateUnit: request.rate_unit ?? 'kg/min',
    targetContainer: request.type === 'discharge' ? request.target_container : null,
    maxAmountG: Math.min(Math.ceil(amountG * (1 + OVERSHOOT_SHARE_MAX)), availableG),
    maxDurationMs: Math.ceil(durationMs * DURATION_FACTOR_MAX) + DURATION_MARGIN_MS,
    expiresAtMs: nowMs + START_EXPIRY_MS,
  };
}

const refuseInMaintenance = (): never => refuse('device_in_maintenance', sentence('device_is_maintained'));

/** Refuses a second start, and a change of the capacity, from which the limits of the operation under way were computed. */
export function refuseWhileOperating(operations: readonly OperationState[]): void {
  const underWay = operations.find(holdsDevice);
  if (underWay !== undefined) throw operationInProgress(underWay);
}

function refuseUnreachable({ presence, isReachable }: SiloAtStart, nowMs: number): void {
  const isSilent = deviceStatus(presence, nowMs) === 'offline';
  if (isReachable && isSilent) {
    refuse('device_offline', sentence('device_is_silent'));
  }
  if (isReachable) return;
  if (isSilent) refuse('device_offline', sentence('device_is_offline'));
  refuse('device_offline', sentence('device_not_listening'));
}

function usableWeightG(silo: SiloAtStart, nowMs: number): number {
  refuseUnreachable(silo, nowMs);
  const { weight, capacityKg } = silo;
  if (weight === undefined) return refuse('reading_stale', sentence('weight_never_reported'));
  const ageMs = nowMs - weight.tsMs;
  if (ageMs > READING_AGE_MS_MAX) {
    refuse('reading_stale', sentence('weight_is_old', { age: Math.round(ageMs / SECOND_MS) }));
  }
  if (!isBelievable(STANDARD_SENSORS.weight, weight, capacityKg)) {
    refuse('reading_stale', sentence('weight_not_true'));
  }
  return weight.value;
}

/** Otherwise two operations within one reporting interval could both use the same room, or the same material. */
function unweighedG(type: OperationType, { operations, weight }: SiloAtStart): number {
  const read = weight === undefined ? null : { valueG: weight.value, tsMs: weight.tsMs };
  const movedG = movedSinceG(type, operations, read);
  if (movedG !== null) return movedG;
  return refuse('reading_stale', sentence('weight_before_last_end'));
}

export function rateLimitGPerMin(
  type: OperationType,
  { operation_limits: limits }: SiloConfiguration,
): number {
  const limit = type === 'feed' ? limits.max_feed_rate : limits.max_discharge_rate;
  return toGramsPerMin(limit, limits.rate_unit);
}

function permittedRate(request: OperationRequest, configuration: SiloConfiguration): number {
  const limitGPerMin = rateLimitGPerMin(request.type, configuration);
  if (request.rate === undefined) return limitGPerMin;
  const unit = request.rate_unit ?? 'kg/min';
  const rateGPerMin = toGramsPerMin(request.rate, unit);
  if (roundTo6(rateGPerMin) > roundTo6(limitGPerMin)) {
    const limit = { value: fromGramsPerMin(limitGPerMin, unit), unit };
    refuse('rate_exceeds_limit', sentence('rate_too_high', { limit }), [
      issueOf('/rate', sentence('must_be_at_most_amount', { limit })),
    ]);
  }
  return rateGPerMin;
}

/** The free capacity for a feed, the content for a discharge; an empty scale may show slightly less than zero. */
export function availableFor(type: OperationType, weightG: number, capacityG: number): number {
  const contentG = Math.max(0, weightG);
  return type === 'feed' ? capacityG - contentG : contentG;
}

function refuseAmount(
  { type, unit = 'kg' }: OperationRequest,
  availableG: number,
  notWeighedG: number,
): never {
  const available = { value: fromGrams(Math.max(0, availableG), unit), unit };
  const details = [issueOf('/amount', sentence('must_be_at_most_amount', { limit: available }))];
  const moved = notWeighedG === 0 ? null : { value: fromGrams(notWeighedG, unit), unit };
  if (type === 'feed')
    return refuse('insufficient_capacity', sentence('no_room', { available, moved }), details);
  return refuse('insufficient_stock', sentence('no_stock', { available, moved }), details);
}

function refuse(code: ErrorCode, message: RefusalMessage, details?: Refusal['details']): never {
  throw new Refusal(code, message, details);
}
