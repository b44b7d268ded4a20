import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import type { OPERATION_DETAILS } from '@granary/contract/sentences/jobs';
import type { PARTS } from '@granary/contract/sentences/parts';
import type { Quantity, Sentence } from '@granary/contract/sentences/sentence';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { isEndDeclared } from './declared-end.ts';
import { massOf } from './sentences.ts';
import { type Failure, latestPossibleStartMs, type OperationState } from './state.ts';
import { ACK_TIMEOUT_MS } from './transitions.ts';
import { OVERRUN_MARGIN_MS } from './watchdog.ts';
import { weighedAmountG } from './weighing.ts';

type Detail = Sentence<keyof typeof OPERATION_DETAILS>;
type Part = Sentence<keyof typeof PARTS>;

/** The sentence says what is known, what the service waits for, and until when. */
export function statusDetail(operation: OperationState): Detail {
  switch (operation.status) {
    case 'started':
      return sentence('start_given_out', {
        started: toIso(operation.startedAtMs),
        until: toIso(operation.startedAtMs + ACK_TIMEOUT_MS),
      });
    case 'in_progress':
      return runningDetail(operation);
    case 'unconfirmed':
      return unconfirmedDetail(operation);
    case 'stopping':
      return stoppingDetail(operation);
    case 'completed':
      return sentence('operation_completed', ended(operation));
    case 'stopped':
      return operation.isOutcomeUnknown
        ? sentence('operation_not_running', {
            reported: lastReported(operation),
            scale: scaleShows(operation),
          })
        : sentence('operation_stopped', ended(operation));
    case 'failed':
      return failedDetail(operation);
  }
}

/** Adds the measured amount to the failure when the device has not reported the outcome. */
export function shownFailure(operation: OperationState): Failure | null {
  const { failure } = operation;
  if (failure?.reason !== 'outcome_unknown') return failure;
  const { code, values } = failure.message;
  return { reason: failure.reason, message: { code, values: { ...values, scale: scaleShows(operation) } } };
}

/** The refusal for the caller of a start that was not sent; `null` if it was sent or may have been. */
export function notSentRefusal({ undelivered, failure }: OperationState): Refusal | null {
  if (undelivered === null || failure === null) return null;
  const code = undelivered === 'expired' ? 'start_expired' : 'device_offline';
  return new Refusal(code, failure.message);
}

const movedOf = ({ amountCompletedG, plan }: OperationState): Quantity => massOf(amountCompletedG, plan);

function runningDetail(operation: OperationState): Detail {
  const { plan, acknowledgedAtMs, startedAtMs, lastProgressTsMs } = operation;
  if (plan === null) return sentence('operation_moving_unasked', { moved: movedOf(operation) });
  const until = toIso((acknowledgedAtMs ?? startedAtMs) + plan.maxDurationMs + OVERRUN_MARGIN_MS);
  if (lastProgressTsMs === null) return sentence('operation_acknowledged', { until });
  const target = massOf(plan.amountG, plan);
  return sentence('operation_moving', { moved: movedOf(operation), target, until });
}

function unconfirmedDetail(operation: OperationState): Detail {
  const { acknowledgedAtMs, startedAtMs, lastHeardAtMs, plan } = operation;
  const untilMs = latestPossibleStartMs(operation);
  if (untilMs !== null) return sentence('start_unacknowledged', { until: toIso(untilMs) });
  const begunAtMs = acknowledgedAtMs ?? startedAtMs;
  return sentence('operation_unheard', {
    heard: toIso(lastHeardAtMs ?? begunAtMs),
    limit: plan === null ? null : toIso(begunAtMs + plan.maxDurationMs),
  });
}

function stoppingDetail(operation: OperationState): Detail {
  const { failure, reopenedAtMs, stopRequestedAtMs, startedAtMs, declared } = operation;
  const decided = toIsoOrNull(latestPossibleStartMs(operation));
  if (reopenedAtMs !== null) {
    const again = toIso(reopenedAtMs);
    return declared === null
      ? sentence('stopping_moved_again', { again, decided })
      : sentence('stopping_moved_after_declared', { again, decided, ...declaration(declared) });
  }
  if (failure !== null) return sentence('stopping_because', { why: failure.message, decided });
  return sentence('stop_requested', { requested: toIso(stopRequestedAtMs ?? startedAtMs), decided });
}

function failedDetail(operation: OperationState): Detail {
  const failure = shownFailure(operation);
  const why = failure?.message ?? sentence('device_gave_no_reason');
  switch (failure?.reason) {
    case 'refused':
      return sentence('operation_start_refused', { why });
    case 'not_sent':
      return sentence('operation_not_sent', { why });
    case 'outcome_unknown':
      return sentence('operation_failed_unknown', { why });
    case 'declared_ended':
      return sentence('operation_end_declared', {
        why,
        reported: lastReported(operation),
        scale: scaleOrNull(operation),
      });
    default:
      return operation.isOutcomeUnknown
        ? sentence('operation_failed_unreported', {
            why,
            reported: lastReported(operation),
            scale: scaleShows(operation),
          })
        : sentence('operation_failed', { why, ...ended(operation) });
  }
}

/** The last reported amount of an operation whose end the device did not report. */
const lastReported = (operation: OperationState): Part =>
  operation.amountCompletedG === 0
    ? sentence('amount_not_reported')
    : sentence('amount_last_reported', { moved: movedOf(operation) });

function scaleShows(operation: OperationState): Part {
  const { measuredG, plan, isWeighable, weightAtStartG } = operation;
  const weighedG = weighedAmountG(operation);
  if (weighedG !== null) return sentence('scale_shows', { moved: massOf(weighedG, plan) });
  if (measuredG !== null) return sentence('scale_showed', { moved: massOf(measuredG, plan) });
  if (!isWeighable) return sentence('scale_disturbed');
  return sentence(weightAtStartG === null ? 'scale_without_start' : 'scale_silent');
}

/** `null` if the scale does not measure the operation in its present state. */
const scaleOrNull = (operation: OperationState): Part | null =>
  weighedAmountG(operation) === null ? null : scaleShows(operation);

/** The values of the sentence about an end that the device reported. */
const ended = (operation: OperationState) => ({
  moved: movedOf(operation),
  scale: scaleOrNull(operation),
  before: earlierEnd(operation),
});

/** The end that the record had before the device reported this one. */
function earlierEnd(operation: OperationState): Part | null {
  const { reopenedAtMs, declared } = operation;
  if (reopenedAtMs !== null) {
    const again = toIso(reopenedAtMs);
    return declared === null
      ? sentence('moved_again', { again })
      : sentence('moved_again_after_declared', { again, ...declaration(declared) });
  }
  return declared === null || isEndDeclared(operation)
    ? null
    : sentence('declared_before', declaration(declared));
}

const declaration = ({ lookedBy, atMs }: NonNullable<OperationState['declared']>) => ({
  person: lookedBy,
  declared: toIso(atMs),
});
