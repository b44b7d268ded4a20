import type { Actor } from '@granary/contract/audit';
import type { OperationStep, OperationTrace, TraceStep } from '@granary/contract/operations';
import { toIso } from '@granary/contract/time';
import { fromGrams, fromGramsPerMin } from '../units.ts';
import { capitalized, withReason } from '../words.ts';
import { massText, notSentMessage } from './sentences.ts';
import type { OperationState } from './state.ts';
import { statusDetail } from './status-detail.ts';
import { weighedAmountG } from './weighing.ts';

/** What happened to an operation, from its stored state alone. Of reports and stops, which repeat, the last one is known. */
export function operationTrace(operation: OperationState): OperationTrace {
  const steps = [
    ...beginning(operation),
    step(operation.acknowledgedAtMs, 'acknowledged', 'The device confirmed that it has the operation.'),
    step(operation.lastHeardAtMs, 'reported', lastReport(operation)),
    step(operation.reportAskedAtMs, 'report_requested', 'The service asked the device for a report.'),
    step(operation.stopRequestedAtMs, 'stop_requested', whyStopped(operation), operation.stoppedBy),
    step(operation.stopSentAtMs, 'stop_sent', 'The stop was last sent to the device.'),
    step(lastMovementMs(operation), 'moved', 'The scale last saw the weight change.'),
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
  detail: string,
  by: Actor | null = null,
): TraceStep | null {
  return atMs === null ? null : { at: toIso(atMs), step: name, by, detail };
}

function lastReport(operation: OperationState): string {
  if (operation.isOutcomeUnknown) return 'The device reported that it does not know the operation.';
  return `Last report of the device: ${massText(operation.amountCompletedG, operation.plan)} moved.`;
}

/** The weight at the start is no movement. */
const lastMovementMs = ({ movedAtMs, movedWeightG, weightAtStartG }: OperationState): number | null =>
  movedWeightG === weightAtStartG ? null : movedAtMs;

function beginning(operation: OperationState): (TraceStep | null)[] {
  const { plan, startedAtMs, type, weightAtStartG, requestedBy, undelivered } = operation;
  if (plan === null)
    return [step(startedAtMs, 'begun_at_device', 'The device reported an operation that it began itself.')];
  const into = plan.targetContainer === null ? '' : ` into ${plan.targetContainer}`;
  const rate = `${fromGramsPerMin(plan.rateGPerMin, plan.rateUnit)} ${plan.rateUnit}`;
  const inside = weightAtStartG === null ? '' : ` with ${fromGrams(weightAtStartG, 'kg')} kg inside`;
  return [
    step(
      startedAtMs,
      'requested',
      `A ${type} of ${massText(plan.amountG, plan)}${into} at ${rate}.`,
      requestedBy,
    ),
    step(
      startedAtMs,
      'checked',
      `Accepted${inside}: the device may move at most ${massText(plan.maxAmountG, plan)} in ${Math.ceil(plan.maxDurationMs / 1_000)} s.`,
    ),
    undelivered === null
      ? step(startedAtMs, 'sent', `The start was sent, valid until ${toIso(plan.expiresAtMs)}.`)
      : step(startedAtMs, 'not_sent', `${capitalized(notSentMessage(undelivered))}.`),
  ];
}

function whyStopped({ stoppedBy, failure, reopenedAtMs, stopRequestedAtMs }: OperationState): string {
  if (stoppedBy !== null) return 'A stop was requested.';
  if (failure !== null) return `The service stops it: ${failure.message}.`;
  return reopenedAtMs !== null && reopenedAtMs === stopRequestedAtMs
    ? 'The service stops it: it moved after it had ended.'
    : 'A stop was requested.';
}

function ending(operation: OperationState): (TraceStep | null)[] {
  const { status, endedAtMs, measuredAtMs, declared } = operation;
  const measuredG = weighedAmountG(operation);
  const measured =
    measuredG === null
      ? null
      : step(measuredAtMs, 'measured', `The scale shows ${massText(measuredG, operation.plan)} moved.`);
  return [
    declared === null
      ? null
      : step(
          declared.atMs,
          'declared_ended',
          `${withReason(`${declared.lookedBy} looked and declared it ended`, declared.reason)}.`,
          declared.by,
        ),
    isEnd(status) ? step(endedAtMs, status, statusDetail(operation)) : null,
    measured,
  ];
}

const isEnd = (status: OperationState['status']): status is 'completed' | 'stopped' | 'failed' =>
  status === 'completed' || status === 'stopped' || status === 'failed';
