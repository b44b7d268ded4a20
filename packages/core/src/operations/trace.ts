import type { Actor } from '@granary/contract/audit';
import type { OperationStep, OperationTrace, TraceStep } from '@granary/contract/operations';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import type { OPERATION_DETAILS, TRACE } from '@granary/contract/sentences/jobs';
import type { Sentence } from '@granary/contract/sentences/sentence';
import { toIso } from '@granary/contract/time';
import { fromGrams, fromGramsPerMin } from '../units.ts';
import { reasonText } from '../words.ts';
import { massOf } from './sentences.ts';
import type { OperationState } from './state.ts';
import { statusDetail } from './status-detail.ts';
import { weighedAmountG } from './weighing.ts';

type Detail = Sentence<keyof typeof TRACE | keyof typeof OPERATION_DETAILS>;

/** The steps of an operation, from its stored state alone. Reports and stops repeat, so only the last one is known. */
export function operationTrace(operation: OperationState): OperationTrace {
  const steps = [
    ...beginning(operation),
    step(operation.acknowledgedAtMs, 'acknowledged', sentence('device_confirmed')),
    step(operation.lastHeardAtMs, 'reported', lastReport(operation)),
    step(operation.reportAskedAtMs, 'report_requested', sentence('report_requested')),
    step(operation.stopRequestedAtMs, 'stop_requested', whyStopped(operation), operation.stoppedBy),
    step(operation.stopSentAtMs, 'stop_sent', sentence('stop_last_sent')),
    step(lastMovementMs(operation), 'moved', sentence('weight_last_changed')),
    ...ending(operation),
  ];
  const known = steps.filter((one) => one !== null);
  return {
    operation_id: operation.operationId,
    status: operation.status,
    // Sorting is stable, so steps of the same moment stay in the order in which they can happen.
    steps: known.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  };
}

function step(
  atMs: number | null,
  name: OperationStep,
  detail: Detail,
  by: Actor | null = null,
): TraceStep | null {
  if (atMs === null) return null;
  return {
    at: toIso(atMs),
    step: name,
    by,
    detail: inEnglish(detail),
    detail_code: detail.code,
    detail_values: { ...detail.values },
  };
}

function lastReport(operation: OperationState): Detail {
  if (operation.isOutcomeUnknown) return sentence('last_report_unknown');
  return sentence('last_report', { moved: massOf(operation.amountCompletedG, operation.plan) });
}

/** The weight at the start does not count as a movement. */
const lastMovementMs = ({ movedAtMs, movedWeightG, weightAtStartG }: OperationState): number | null =>
  movedWeightG === weightAtStartG ? null : movedAtMs;

function beginning(operation: OperationState): (TraceStep | null)[] {
  const { plan, startedAtMs, type, weightAtStartG, requestedBy, undelivered } = operation;
  if (plan === null || type === null)
    return [step(startedAtMs, 'begun_at_device', sentence('begun_at_device'))];
  return [
    step(
      startedAtMs,
      'requested',
      sentence(`${type}_requested`, {
        amount: massOf(plan.amountG, plan),
        target: plan.targetContainer,
        rate: { value: fromGramsPerMin(plan.rateGPerMin, plan.rateUnit), unit: plan.rateUnit },
      }),
      requestedBy,
    ),
    step(
      startedAtMs,
      'checked',
      sentence('start_checked', {
        inside: weightAtStartG === null ? null : { value: fromGrams(weightAtStartG, 'kg'), unit: 'kg' },
        most: massOf(plan.maxAmountG, plan),
        seconds: Math.ceil(plan.maxDurationMs / 1_000),
      }),
    ),
    undelivered === null
      ? step(startedAtMs, 'sent', sentence('start_sent', { until: toIso(plan.expiresAtMs) }))
      : step(
          startedAtMs,
          'not_sent',
          sentence('start_was_not_sent', { why: sentence('start_not_sent', { why: undelivered }) }),
        ),
  ];
}

function whyStopped({ stoppedBy, failure, reopenedAtMs, stopRequestedAtMs }: OperationState): Detail {
  if (stoppedBy !== null) return sentence('stop_was_requested');
  if (failure !== null) return sentence('service_stops', { why: failure.message });
  const movedAgain = reopenedAtMs !== null && reopenedAtMs === stopRequestedAtMs;
  return sentence(movedAgain ? 'service_stops_moved_again' : 'stop_was_requested');
}

function ending(operation: OperationState): (TraceStep | null)[] {
  const { status, endedAtMs, measuredAtMs, declared } = operation;
  const measuredG = weighedAmountG(operation);
  const measured =
    measuredG === null
      ? null
      : step(
          measuredAtMs,
          'measured',
          sentence('scale_measured', { moved: massOf(measuredG, operation.plan) }),
        );
  return [
    declared === null
      ? null
      : step(
          declared.atMs,
          'declared_ended',
          sentence('end_declared', { person: declared.lookedBy, reason: reasonText(declared.reason) }),
          declared.by,
        ),
    isEnd(status) ? step(endedAtMs, status, statusDetail(operation)) : null,
    measured,
  ];
}

const isEnd = (status: OperationState['status']): status is 'completed' | 'stopped' | 'failed' =>
  status === 'completed' || status === 'stopped' || status === 'failed';
