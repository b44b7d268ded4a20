import { sentence } from '@granary/contract/sentences/codes';
import { SECOND_MS } from '@granary/contract/time';
import { FRESHNESS_MS } from '../devices/status.ts';
import type { DeclarationInput } from '../jobs/declared-end.ts';
import {
  CLOCK_AHEAD_MS_MAX,
  isDue,
  isReportDue,
  type NotSentReason,
  STOP_RESEND_MS,
} from '../jobs/polling.ts';
import { deviceReason } from '../words.ts';
import { declareEnded, isEndDeclared, withoutDeclaration } from './declared-end.ts';
import {
  type DeviceReport,
  deviceFault,
  type Failure,
  isTerminal,
  latestPossibleStartMs,
  type OperationState,
  outcomeUnknown,
  type Weight,
} from './state.ts';
import { failureOf, trackMovement } from './watchdog.ts';
import { weigh, withEnd } from './weighing.ts';

export const ACK_TIMEOUT_MS = 10 * SECOND_MS;

export interface Tick {
  readonly kind: 'tick';
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  /** The device has just become reachable, so pending messages are sent immediately. */
  readonly isNewSession: boolean;
  readonly weight: Weight | null;
  readonly capacityG: number;
}

export type OperationInput =
  | { readonly kind: 'stop' }
  | { readonly kind: 'declare_ended'; readonly declaration: DeclarationInput }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & DeviceReport)
  | { readonly kind: 'not_sent'; readonly why: NotSentReason }
  | Tick;

/** The new state of an operation, and the message to send to its device; a transition never sends a start. */
export interface OperationTransition {
  readonly operation: OperationState;
  readonly send: 'stop' | 'report' | null;
}

/**
 * The state machine of an operation: accepts every input in every state. Only a report of the device or the declaration of a
 * person ends an operation that was sent to it: after a failure that the service detects it is `stopping` until then.
 */
export function advanceOperation(
  operation: OperationState,
  input: OperationInput,
  nowMs: number,
): OperationTransition {
  switch (input.kind) {
    case 'stop':
      return isTerminal(operation) || operation.status === 'stopping'
        ? withoutMessage(operation)
        : stop(operation, nowMs);
    case 'declare_ended':
      return withoutMessage(declareEnded(operation, input.declaration, nowMs));
    case 'ack':
      return applyAcknowledgement(operation, input.accepted, input.reason, nowMs);
    case 'progress':
      return applyReport(operation, input, nowMs);
    case 'not_sent':
      return applyNotSent(operation, input.why, nowMs);
    case 'tick':
      return applyTick(operation, input, nowMs);
  }
}

const withoutMessage = (operation: OperationState): OperationTransition => ({ operation, send: null });

const stop = (operation: OperationState, nowMs: number): OperationTransition => ({
  operation: {
    ...operation,
    status: 'stopping',
    stopRequestedAtMs: operation.stopRequestedAtMs ?? nowMs,
    stopSentAtMs: nowMs,
    endedAtMs: null,
    endTsMs: null,
    isWeighedAfterEnd: false,
  },
  send: 'stop',
});

/** The device runs an operation with a recorded end, so the end was wrong: the operation is stopped until the device reports its end. */
function reopen(ended: OperationState, nowMs: number): OperationTransition {
  const operation = withoutDeclaration(ended);
  const wasNeverConfirmedToMove = operation.failure?.reason === 'refused' || isInferred(operation);
  const failure = wasNeverConfirmedToMove ? null : operation.failure;
  return stop({ ...operation, failure, isOutcomeUnknown: false, reopenedAtMs: nowMs }, nowMs);
}

/** The end was concluded from a missing report or an unsent start, so a later report still decides. */
const isInferred = ({ isOutcomeUnknown, undelivered }: OperationState): boolean =>
  isOutcomeUnknown || undelivered !== null;

const withoutInference = (operation: OperationState): OperationState => {
  if (!isInferred(operation)) return operation;
  const reason = operation.failure?.reason;
  const isRefuted = reason === 'outcome_unknown' || reason === 'not_sent';
  const failure = isRefuted ? null : operation.failure;
  return { ...operation, isOutcomeUnknown: false, undelivered: null, failure };
};

/** `report` is `null` if nothing has moved. */
const end = (
  operation: OperationState,
  status: 'completed' | 'stopped',
  report: DeviceReport | null,
  nowMs: number,
): OperationTransition => {
  const ended = withEnd(operation, report, nowMs);
  return withoutMessage({ ...ended, status: operation.failure === null ? status : 'failed' });
};

const fail = (
  operation: OperationState,
  failure: Failure,
  report: DeviceReport | null,
  nowMs: number,
): OperationTransition => end({ ...operation, failure }, 'stopped', report, nowMs);

/** Only the first acknowledgement counts: a later one is repeated, or answers a repeated copy of the start. */
function applyAcknowledgement(
  before: OperationState,
  accepted: boolean,
  reason: string | null,
  nowMs: number,
): OperationTransition {
  if (before.acknowledgedAtMs !== null) return withoutMessage(before);
  if (!accepted) {
    if (isTerminal(before)) return withoutMessage(before);
    const refused = { reason: 'refused', message: deviceReason(reason) } as const;
    return fail({ ...before, lastHeardAtMs: nowMs }, refused, null, nowMs);
  }
  const operation = { ...before, acknowledgedAtMs: nowMs, lastHeardAtMs: nowMs };
  return isTerminal(before) ? reopen(operation, nowMs) : withoutMessage(running(operation));
}

/** A start that was never written to a connection moves nothing, unless the device has answered it nevertheless. */
function applyNotSent(before: OperationState, why: NotSentReason, nowMs: number): OperationTransition {
  if (isTerminal(before) || before.lastHeardAtMs !== null) return withoutMessage(before);
  const notSent = { reason: 'not_sent', message: sentence('start_not_sent', { why }) } as const;
  return fail({ ...before, undelivered: why }, notSent, null, nowMs);
}

function applyReport(before: OperationState, report: DeviceReport, nowMs: number): OperationTransition {
  if (isRepeated(before, report)) {
    if (isTerminal(before)) return withoutMessage(before);
    // The device clock may have been set back; then the next report has a later time than this one.
    if (mayBeOutdated(before, report)) return withoutMessage({ ...before, lastProgressTsMs: report.tsMs });
  }
  const updated = {
    ...before,
    amountCompletedG: amountAfter(before, report, nowMs),
    largestReportedG: Math.max(before.largestReportedG, report.amountG),
    lastHeardAtMs: nowMs,
    lastProgressTsMs: isNewest(before, report, nowMs) ? report.tsMs : before.lastProgressTsMs,
  };
  if (report.state === 'unknown') return applyUnknown(updated, report, nowMs);
  const known = { ...updated, acknowledgedAtMs: before.acknowledgedAtMs ?? nowMs };
  if (report.state === 'running')
    return isTerminal(known) ? reopen(known, nowMs) : withoutMessage(running(known));
  if (isTerminal(known) && !isInferred(known) && !isEndDeclared(known)) return withoutMessage(known);
  const operation = withoutInference(withoutDeclaration(known));
  if (report.state === 'failed')
    return fail(operation, operation.failure ?? deviceFault(report), report, nowMs);
  return end(operation, report.state, report, nowMs);
}

/** `unknown` may have been sent before the start arrived, and an end before the operation was reopened. */
const mayBeOutdated = ({ reopenedAtMs }: OperationState, { state }: DeviceReport): boolean =>
  state === 'unknown' || (state !== 'running' && reopenedAtMs !== null);

/** After a lost connection some reports are delivered twice; a repeated one has neither a later time nor a larger amount. */
const isRepeated = ({ lastProgressTsMs, largestReportedG }: OperationState, report: DeviceReport): boolean =>
  lastProgressTsMs !== null && report.tsMs <= lastProgressTsMs && report.amountG <= largestReportedG;

/**
 * The latest report by the device's clock decides, so that a correct report replaces a wrong one and a delayed report
 * changes nothing. The report of an end always counts as the latest, because nothing moves after it.
 */
function amountAfter(before: OperationState, report: DeviceReport, nowMs: number): number {
  const { amountCompletedG, lastProgressTsMs } = before;
  const { state, amountG, tsMs } = report;
  if (state === 'unknown') return amountCompletedG;
  const isEnd = state !== 'running' && !isTerminal(before);
  if (isNewest(before, report, nowMs) || isEnd) return amountG;
  return tsMs === lastProgressTsMs ? Math.max(amountCompletedG, amountG) : amountCompletedG;
}

/** A timestamp too far in the future loses against a plausible one, so that a single wrong clock value does not block later reports. */
function isNewest({ lastProgressTsMs }: OperationState, { tsMs }: DeviceReport, nowMs: number): boolean {
  if (lastProgressTsMs === null || tsMs > lastProgressTsMs) return true;
  const newestMs = nowMs + CLOCK_AHEAD_MS_MAX;
  return lastProgressTsMs > newestMs && tsMs <= newestMs;
}

/** A stop request stays in force until the device reports an end; the watchdog starts again for an operation that was unconfirmed. */
function running(operation: OperationState): OperationState {
  if (operation.status === 'stopping' || operation.status === 'in_progress') return operation;
  return { ...operation, status: 'in_progress', movedWeightG: null, movedAtMs: null };
}

/** The device does not know the operation, which ends it unless the start may still arrive. */
function applyUnknown(operation: OperationState, report: DeviceReport, nowMs: number): OperationTransition {
  if (isTerminal(operation) || mayStillBegin(operation, nowMs)) return withoutMessage(operation);
  const ended = { ...operation, isOutcomeUnknown: true };
  return operation.status === 'stopping'
    ? end(ended, 'stopped', report, nowMs)
    : fail(ended, operation.failure ?? outcomeUnknown(operation), report, nowMs);
}

function mayStillBegin(operation: OperationState, nowMs: number): boolean {
  const untilMs = latestPossibleStartMs(operation);
  return untilMs !== null && nowMs <= untilMs;
}

function applyTick(before: OperationState, tick: Tick, nowMs: number): OperationTransition {
  const measured = weigh(before, tick.weight);
  if (isTerminal(measured)) return withoutMessage(measured);
  if (measured.status === 'stopping') return resendStop(measured, tick, nowMs);
  const checked = markUnconfirmed(measured, tick, nowMs);
  if (checked.status !== 'in_progress') return requestReport(checked, tick, nowMs);
  const operation = trackMovement(checked, tick, nowMs);
  const failure = failureOf(operation, tick, nowMs);
  return failure === null ? requestReport(operation, tick, nowMs) : stop({ ...operation, failure }, nowMs);
}

function resendStop(operation: OperationState, tick: Tick, nowMs: number): OperationTransition {
  const isStopDue = tick.isNewSession || isDue(operation.stopSentAtMs, nowMs, STOP_RESEND_MS);
  if (!tick.isReachable || !isStopDue) return withoutMessage(operation);
  return { operation: { ...operation, stopSentAtMs: nowMs }, send: 'stop' };
}

/** Without an acknowledgement or a recent report the state of the operation is not certain. */
function markUnconfirmed(operation: OperationState, { isReachable }: Tick, nowMs: number): OperationState {
  const { status, startedAtMs, lastHeardAtMs } = operation;
  if (status === 'unconfirmed') return operation;
  const isReportOverdue =
    status === 'started'
      ? isDue(startedAtMs, nowMs, ACK_TIMEOUT_MS)
      : isDue(lastHeardAtMs, nowMs, FRESHNESS_MS);
  return isReachable && !isReportOverdue ? operation : { ...operation, status: 'unconfirmed' };
}

function requestReport(operation: OperationState, tick: Tick, nowMs: number): OperationTransition {
  const isDueNow = tick.isNewSession || isReportDue(operation, nowMs) || canBeDecidedNow(operation, nowMs);
  const isNeeded = operation.status !== 'started' && isDueNow;
  if (!tick.isReachable || !isNeeded) return withoutMessage(operation);
  return { operation: { ...operation, reportAskedAtMs: nowMs }, send: 'report' };
}

/** Whether the answer `unknown` can end the operation now, and the device was last asked before that was possible. */
function canBeDecidedNow(operation: OperationState, nowMs: number): boolean {
  const untilMs = latestPossibleStartMs(operation);
  if (untilMs === null || nowMs <= untilMs) return false;
  return operation.reportAskedAtMs !== null && operation.reportAskedAtMs <= untilMs;
}
