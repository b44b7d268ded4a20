import { Refusal } from '@granary/contract/errors';
import type { OperationFailure } from '@granary/contract/operations';
import { toIso } from '@granary/contract/time';
import { capitalized } from '../words.ts';
import { isEndDeclared } from './declared-end.ts';
import { massText } from './sentences.ts';
import { latestPossibleStartMs, type OperationState } from './state.ts';
import { ACK_TIMEOUT_MS } from './transitions.ts';
import { OVERRUN_MARGIN_MS } from './watchdog.ts';
import { weighedAmountG } from './weighing.ts';

/** One sentence for a person: what is known, what the service waits for, and until when. */
export function statusDetail(operation: OperationState): string {
  switch (operation.status) {
    case 'started':
      return `The start was given out at ${toIso(operation.startedAtMs)}; the device's acknowledgement is awaited until ${toIso(operation.startedAtMs + ACK_TIMEOUT_MS)}.`;
    case 'in_progress':
      return `The device ${moved(operation)}${untilOverrun(operation)}.`;
    case 'unconfirmed':
      return unconfirmedDetail(operation);
    case 'stopping':
      return `${whyStopping(operation)}; the stop is repeated until the device confirms it${untilDecided(operation)}.`;
    case 'completed':
      return `The device reported that it completed the operation, with ${amount(operation)} moved${scale(operation)}${earlierEnd(operation)}.`;
    case 'stopped':
      return stoppedDetail(operation);
    case 'failed':
      return failedDetail(operation);
  }
}

/** Adds the measured amount to the failure when the device has not reported the outcome. */
export function shownFailure(operation: OperationState): OperationFailure | null {
  const { failure } = operation;
  if (failure?.reason !== 'outcome_unknown') return failure;
  return { ...failure, message: `${failure.message}; ${scaleShows(operation)}` };
}

/** The refusal for the caller of a start that was not sent; `null` if it was sent or may have been. */
export function notSentRefusal({ undelivered, failure }: OperationState): Refusal | null {
  if (undelivered === null || failure === null) return null;
  const code = undelivered === 'expired' ? 'start_expired' : 'device_offline';
  return new Refusal(code, failure.message);
}

const amount = ({ amountCompletedG, plan }: OperationState): string => massText(amountCompletedG, plan);

function moved(operation: OperationState): string {
  const { lastProgressTsMs, plan } = operation;
  if (lastProgressTsMs === null) return 'acknowledged the start and has yet to report progress';
  return `reported ${amount(operation)}${plan === null ? '' : ` of ${massText(plan.amountG, plan)}`} moved`;
}

function untilOverrun({ plan, acknowledgedAtMs, startedAtMs }: OperationState): string {
  if (plan === null) return '; it was started at the device, not through this service';
  const untilMs = (acknowledgedAtMs ?? startedAtMs) + plan.maxDurationMs + OVERRUN_MARGIN_MS;
  return `; its end is awaited until ${toIso(untilMs)}, and then it is stopped`;
}

function unconfirmedDetail(operation: OperationState): string {
  const { acknowledgedAtMs, startedAtMs, lastHeardAtMs, plan } = operation;
  const untilMs = latestPossibleStartMs(operation);
  if (untilMs !== null) {
    return `The device has not acknowledged the start and may begin until ${toIso(untilMs)}; it is asked until it answers, and if it does not know the operation after that time, the operation is over.`;
  }
  const heardAt = toIso(lastHeardAtMs ?? acknowledgedAtMs ?? startedAtMs);
  const limit =
    plan === null
      ? ''
      : `, at the latest until ${toIso((acknowledgedAtMs ?? startedAtMs) + plan.maxDurationMs)} by its own limit`;
  return `Nothing was heard of it since ${heardAt}, so it may still be running${limit}; the device is asked as soon as it is connected.`;
}

function whyStopping(operation: OperationState): string {
  const { failure, reopenedAtMs, stopRequestedAtMs, startedAtMs } = operation;
  if (reopenedAtMs !== null) return `It moved again at ${toIso(reopenedAtMs)} after ${endBefore(operation)}`;
  if (failure !== null) return `It is being stopped because ${failure.message}`;
  return `A stop was requested at ${toIso(stopRequestedAtMs ?? startedAtMs)}`;
}

function untilDecided(operation: OperationState): string {
  const untilMs = latestPossibleStartMs(operation);
  if (untilMs === null) return '';
  return `, or until it says after ${toIso(untilMs)} that it does not know the operation`;
}

function stoppedDetail(operation: OperationState): string {
  if (!operation.isOutcomeUnknown) {
    return `The device confirmed the stop, with ${amount(operation)} moved${scale(operation)}${earlierEnd(operation)}.`;
  }
  return `The device does not know the operation, so it is not running; ${lastReported(operation)}; ${scaleShows(operation)}.`;
}

function failedDetail(operation: OperationState): string {
  const failure = shownFailure(operation);
  if (failure === null) return 'It failed.';
  switch (failure.reason) {
    case 'refused':
      return `The device refused the start, so nothing was moved: ${failure.message}.`;
    case 'not_sent':
      return `${capitalized(failure.message)}.`;
    case 'outcome_unknown':
      return `It failed: ${failure.message}.`;
    case 'declared_ended':
      return `It was ${failure.message}; ${lastReported(operation)}${scale(operation)}.`;
    default:
      if (operation.isOutcomeUnknown) {
        return `It failed: ${failure.message}; ${lastReported(operation)}; ${scaleShows(operation)}.`;
      }
      return `It failed: ${failure.message}; the device reported ${amount(operation)} moved${scale(operation)}${earlierEnd(operation)}.`;
  }
}

/** Of an operation that the device did not report to its end. */
const lastReported = (operation: OperationState): string =>
  operation.amountCompletedG === 0
    ? 'how much it moved was not reported'
    : `its last report said ${amount(operation)} moved, and how much it moved in all was not reported`;

function scaleShows(operation: OperationState): string {
  const { measuredG, plan, isWeighable, weightAtStartG } = operation;
  const weighedG = weighedAmountG(operation);
  if (weighedG !== null) return `the scale shows ${massText(weighedG, plan)} moved`;
  if (measuredG !== null) return `while it ran, the scale showed ${massText(measuredG, plan)} moved`;
  if (!isWeighable) return 'the scale cannot tell, because another operation moved something, too';
  if (weightAtStartG === null) return 'the scale cannot tell, because the weight before it is not known';
  return 'the scale has not reported since the start';
}

/** Nothing, if the scale shows nothing of the operation as it stands. */
const scale = (operation: OperationState): string =>
  weighedAmountG(operation) === null ? '' : `; ${scaleShows(operation)}`;

/** What the record said before the device reported this end. */
function earlierEnd(operation: OperationState): string {
  const { reopenedAtMs, declared } = operation;
  if (reopenedAtMs !== null) {
    return `; it had moved again at ${toIso(reopenedAtMs)} after ${declared === null ? 'an earlier end' : endBefore(operation)}`;
  }
  return declared === null || isEndDeclared(operation) ? '' : `; before that, ${endBefore(operation)}`;
}

const endBefore = ({ declared }: OperationState): string =>
  declared === null
    ? 'it had ended'
    : `${declared.lookedBy} had declared it ended at ${toIso(declared.atMs)}`;
