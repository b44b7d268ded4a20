import type { SiloCommand, StartCommand } from '@granary/contract/link/messages';
import type { OperationRecord, OperationStarted } from '@granary/contract/operations';
import { statusOf } from '@granary/contract/sentences/english';
import { MINUTE_MS, SECOND_MS, toIso, toIsoOrNull } from '@granary/contract/time';
import { declaredEndRecord, endedRecord } from '../jobs/declared-end.ts';
import { fromGrams, fromGramsPerMin, roundTo6 } from '../units.ts';
import { type NewOperation, type OperationPlan, type OperationState, reportedAmountG } from './state.ts';
import { shownFailure, statusDetail } from './status-detail.ts';
import { weighedAmountG } from './weighing.ts';

const GRAMS_PER_KG = 1_000;

/** `null` when the target or the moved amount is unknown; at most 100, also when more than the target was moved. */
export function progressPercent(operation: OperationState): number | null {
  const { plan } = operation;
  const amountG = reportedAmountG(operation);
  if (plan === null || amountG === null) return null;
  return Math.min(100, roundTo6((amountG / plan.amountG) * 100));
}

export const estimatedDurationMin = ({ amountG, rateGPerMin }: OperationPlan): number =>
  roundTo6(amountG / rateGPerMin);

/** The completion is estimated from the last report; for an operation that has ended, it is the time of its end. */
export function estimatedCompletionMs(operation: OperationState): number | null {
  const { plan, endedAtMs, lastHeardAtMs, startedAtMs, amountCompletedG } = operation;
  if (endedAtMs !== null) return endedAtMs;
  if (plan === null) return null;
  const remainingG = Math.max(0, plan.amountG - amountCompletedG);
  return Math.round((lastHeardAtMs ?? startedAtMs) + (remainingG / plan.rateGPerMin) * MINUTE_MS);
}

/** Amounts and rates are given in the units of the request. */
export function operationRecord(operation: OperationState): OperationRecord {
  const { plan } = operation;
  const unit = plan?.unit ?? 'kg';
  const massOrNull = (grams: number | null) => (grams === null ? null : fromGrams(grams, unit));
  const rateUnit = plan?.rateUnit ?? 'kg/min';
  return {
    operation_id: operation.operationId,
    type: operation.type,
    status: operation.status,
    ...statusOf(statusDetail(operation)),
    origin: plan === null ? 'device' : 'service',
    progress: progressPercent(operation),
    amount_target: massOrNull(plan?.amountG ?? null),
    amount_completed: massOrNull(reportedAmountG(operation)),
    measured_amount: massOrNull(weighedAmountG(operation)),
    unit,
    rate: plan === null ? null : fromGramsPerMin(plan.rateGPerMin, rateUnit),
    rate_unit: rateUnit,
    target_container: plan?.targetContainer ?? null,
    started_at: toIso(operation.startedAtMs),
    estimated_completion: toIsoOrNull(estimatedCompletionMs(operation)),
    stop_requested_at: toIsoOrNull(operation.stopRequestedAtMs),
    ended_at: toIsoOrNull(operation.endedAtMs),
    failure: endedRecord(shownFailure(operation)),
    declared: declaredEndRecord(operation.declared),
    requested_by: operation.requestedBy,
    stopped_by: operation.stoppedBy,
  };
}

/** The answer to the caller who started the operation. */
export function startedRecord({ operationId, status, plan }: OperationState): OperationStarted {
  if (plan === null) throw new Error(`operation ${operationId} was started without a plan`);
  return {
    operation_id: operationId,
    status,
    estimated_duration: estimatedDurationMin(plan),
    duration_unit: 'minutes',
  };
}

/** The message that asks a silo to stop or to report an operation. */
export const operationMessage = (operation_id: string, send: 'stop' | 'report'): SiloCommand =>
  send === 'stop' ? { command: send, operation_id } : { command: send, operation_id };

/** Devices always receive kilograms. */
export function startCommand({
  operationId,
  type,
  plan,
}: Pick<NewOperation, 'operationId' | 'type' | 'plan'>): StartCommand {
  return {
    command: 'start',
    operation_id: operationId,
    type,
    amount_kg: plan.amountG / GRAMS_PER_KG,
    rate_kg_per_min: plan.rateGPerMin / GRAMS_PER_KG,
    max_amount_kg: plan.maxAmountG / GRAMS_PER_KG,
    max_duration_s: Math.ceil(plan.maxDurationMs / SECOND_MS),
    ...(plan.targetContainer === null ? {} : { target_container: plan.targetContainer }),
    expires_at: toIso(plan.expiresAtMs),
  };
}
