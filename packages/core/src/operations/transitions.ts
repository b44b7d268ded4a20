import type { OperationFailure } from '@granary/contract/operations';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isDue, isReportDue } from '../devices/polling.ts';
import { FRESHNESS_MS } from '../devices/status.ts';
import { CLOCK_AHEAD_MS_MAX } from '../telemetry/readings.ts';
import { weightNoiseG } from './mass-balance.ts';
import {
  type DeviceReport,
  deviceFault,
  isTerminal,
  measureMoved,
  type OperationPlan,
  type OperationState,
  outcomeUnknown,
  type Undelivered,
  type Weight,
} from './state.ts';

export const ACK_TIMEOUT_MS = 10 * SECOND_MS;
export const STOP_RESEND_MS = SECOND_MS;
/** Room for the device to end an overlong operation by itself and to say so. */
export const OVERRUN_MARGIN_MS = 30 * SECOND_MS;
export const WATCHDOG_MS_MIN = MINUTE_MS;
/** A slow operation is given the time to move the weight by this many times the scale's noise. */
const WATCHDOG_NOISE_FACTOR = 2;

/**
 * A start travels on a live connection only, and what a device says comes in the order in which it was asked: after this
 * time beyond the expiry, a device that does not know the operation will not begin it.
 */
export const START_SKEW_MS = 2 * SECOND_MS;

const NOT_SENT_BECAUSE: Record<Undelivered, string> = {
  not_connected: 'the device has no MQTT session',
  not_subscribed: 'the device is not subscribed to its commands',
  expired: 'it had expired before it could be sent',
  in_flight: 'another message to the device was in the way',
};

export interface Tick {
  readonly kind: 'tick';
  /** It has a live session that takes commands. */
  readonly isReachable: boolean;
  /** It has just become reachable, so what waits for it is sent at once. */
  readonly isNewSession: boolean;
  readonly weight: Weight | null;
  readonly capacityG: number;
}

export type OperationInput =
  | { readonly kind: 'stop' }
  | { readonly kind: 'ack'; readonly accepted: boolean; readonly reason: string | null }
  | ({ readonly kind: 'progress' } & DeviceReport)
  | { readonly kind: 'not_sent'; readonly why: Undelivered }
  | Tick;

/** What an operation has become, and what to send to its device. A start is never among it. */
export interface OperationTransition {
  readonly operation: OperationState;
  readonly send: 'stop' | 'report' | null;
}

/**
 * What an input makes of an operation, at any time and in any state. No status claims more than the device has said, and
 * only its own report ends an operation that was sent to it: a failure that we see first is noted at once and stops it,
 * but it is `stopping` until the device confirms. An operation that nothing changed is returned as the same object.
 */
export function advanceOperation(
  operation: OperationState,
  input: OperationInput,
  nowMs: number,
): OperationTransition {
  switch (input.kind) {
    case 'stop':
      return isTerminal(operation) || operation.status === 'stopping'
        ? quiet(operation)
        : stop(operation, nowMs);
    case 'ack':
      return answered(operation, input.accepted, input.reason, nowMs);
    case 'progress':
      return reported(operation, input, nowMs);
    case 'not_sent':
      return undelivered(operation, input.why, nowMs);
    case 'tick':
      return ticked(operation, input, nowMs);
  }
}

const quiet = (operation: OperationState): OperationTransition => ({ operation, send: null });

const stop = (operation: OperationState, nowMs: number): OperationTransition => ({
  operation: {
    ...operation,
    status: 'stopping',
    stopRequestedAtMs: operation.stopRequestedAtMs ?? nowMs,
    stopSentAtMs: nowMs,
    endedAtMs: null,
  },
  send: 'stop',
});

/** It moves although we took it for ended: what we said of it was wrong, so it is stopped, and its true end awaited. */
function reopen(operation: OperationState, nowMs: number): OperationTransition {
  const wasTakenForUnmoved = operation.failure?.reason === 'refused' || isInferred(operation);
  const failure = wasTakenForUnmoved ? null : operation.failure;
  return stop({ ...operation, failure, isOutcomeUnknown: false, reopenedAtMs: nowMs }, nowMs);
}

/** Ended because of what was not reported or not sent: a later report of the device still decides. */
const isInferred = ({ isOutcomeUnknown, undelivered }: OperationState): boolean =>
  isOutcomeUnknown || undelivered !== null;

const withoutInference = (operation: OperationState): OperationState => {
  if (!isInferred(operation)) return operation;
  const reason = operation.failure?.reason;
  const isRefuted = reason === 'outcome_unknown' || reason === 'not_sent';
  const failure = isRefuted ? null : operation.failure;
  return { ...operation, isOutcomeUnknown: false, undelivered: null, failure };
};

const end = (
  operation: OperationState,
  status: 'completed' | 'stopped',
  nowMs: number,
): OperationTransition =>
  quiet({ ...operation, status: operation.failure === null ? status : 'failed', endedAtMs: nowMs });

const fail = (operation: OperationState, failure: OperationFailure, nowMs: number): OperationTransition =>
  quiet({ ...operation, status: 'failed', failure, endedAtMs: nowMs });

/** A start is answered once. What follows is an echo, or the answer to a copy of it that the device refused as such. */
function answered(
  before: OperationState,
  accepted: boolean,
  reason: string | null,
  nowMs: number,
): OperationTransition {
  if (before.acknowledgedAtMs !== null) return quiet(before);
  if (!accepted) {
    if (isTerminal(before)) return quiet(before);
    const message = reason ?? 'the device refused it';
    return fail({ ...before, lastHeardAtMs: nowMs }, { reason: 'refused', message }, nowMs);
  }
  const operation = { ...before, acknowledgedAtMs: nowMs, lastHeardAtMs: nowMs };
  return isTerminal(before) ? reopen(operation, nowMs) : quiet(running(operation));
}

/** A start that was never written to a connection moves nothing. A device that has answered has it all the same. */
function undelivered(before: OperationState, why: Undelivered, nowMs: number): OperationTransition {
  if (isTerminal(before) || before.lastHeardAtMs !== null) return quiet(before);
  const message = `the start was not sent, so nothing moved: ${NOT_SENT_BECAUSE[why]}`;
  return fail({ ...before, undelivered: why }, { reason: 'not_sent', message }, nowMs);
}

function reported(before: OperationState, report: DeviceReport, nowMs: number): OperationTransition {
  if (isEcho(before, report)) {
    if (isTerminal(before)) return quiet(before);
    // Or a clock that was set back: then the next report, asked for soon, is later than this one.
    if (mayBeOutdated(before, report)) return quiet({ ...before, lastProgressTsMs: report.tsMs });
  }
  const heard = {
    ...before,
    amountCompletedG: amountAfter(before, report, nowMs),
    largestReportedG: Math.max(before.largestReportedG, report.amountG),
    lastHeardAtMs: nowMs,
    lastProgressTsMs: isNewest(before, report, nowMs) ? report.tsMs : before.lastProgressTsMs,
  };
  if (report.state === 'unknown') return unknownToDevice(heard, nowMs);
  const known = { ...heard, acknowledgedAtMs: before.acknowledgedAtMs ?? nowMs };
  if (report.state === 'running') return isTerminal(known) ? reopen(known, nowMs) : quiet(running(known));
  if (isTerminal(known) && !isInferred(known)) return quiet(known);
  const operation = withoutInference(known);
  if (report.state === 'failed') return fail(operation, operation.failure ?? deviceFault(report), nowMs);
  return end(operation, report.state, nowMs);
}

/** "Unknown" was true before the start arrived, and an end was true before the operation moved again. */
const mayBeOutdated = ({ reopenedAtMs }: OperationState, { state }: DeviceReport): boolean =>
  state === 'unknown' || (state !== 'running' && reopenedAtMs !== null);

/** A link that was cut delivers some reports again. They tell of no later time and of nothing more moved. */
const isEcho = ({ lastProgressTsMs, largestReportedG }: OperationState, report: DeviceReport): boolean =>
  lastProgressTsMs !== null && report.tsMs <= lastProgressTsMs && report.amountG <= largestReportedG;

/**
 * The newest report by the device's clock decides, so that an honest one corrects a wrong one and a late one changes
 * nothing. The report of an end is the newest whatever the clock says: nothing moves after it.
 */
function amountAfter(before: OperationState, report: DeviceReport, nowMs: number): number {
  const { amountCompletedG, lastProgressTsMs } = before;
  const { state, amountG, tsMs } = report;
  if (state === 'unknown') return amountCompletedG;
  const isEnd = state !== 'running' && !isTerminal(before);
  if (isNewest(before, report, nowMs) || isEnd) return amountG;
  return tsMs === lastProgressTsMs ? Math.max(amountCompletedG, amountG) : amountCompletedG;
}

/** A time that lies too far ahead of ours loses to one that does not: a single wrong one must not outweigh all that follow. */
function isNewest({ lastProgressTsMs }: OperationState, { tsMs }: DeviceReport, nowMs: number): boolean {
  if (lastProgressTsMs === null || tsMs > lastProgressTsMs) return true;
  const newestMs = nowMs + CLOCK_AHEAD_MS_MAX;
  return lastProgressTsMs > newestMs && tsMs <= newestMs;
}

/** A stop stays in force until the device reports an end. The watchdog begins anew for what was unconfirmed. */
function running(operation: OperationState): OperationState {
  if (operation.status === 'stopping' || operation.status === 'in_progress') return operation;
  return { ...operation, status: 'in_progress', movedWeightG: null, movedAtMs: null };
}

/** The device knows no such operation. That ends it, unless its start may still be on the way. */
function unknownToDevice(operation: OperationState, nowMs: number): OperationTransition {
  if (isTerminal(operation) || mayStillBegin(operation, nowMs)) return quiet(operation);
  const over = { ...operation, isOutcomeUnknown: true };
  return operation.status === 'stopping'
    ? end(over, 'stopped', nowMs)
    : fail(over, operation.failure ?? outcomeUnknown(operation), nowMs);
}

/** Until when a start that the device did not acknowledge may still reach it; `null` if it has it, or it needs none. */
export const mayBeginUntilMs = ({ acknowledgedAtMs, plan }: OperationState): number | null =>
  acknowledgedAtMs !== null || plan === null ? null : plan.expiresAtMs + START_SKEW_MS;

function mayStillBegin(operation: OperationState, nowMs: number): boolean {
  const untilMs = mayBeginUntilMs(operation);
  return untilMs !== null && nowMs <= untilMs;
}

function ticked(before: OperationState, tick: Tick, nowMs: number): OperationTransition {
  const measured = measureMoved(before, tick.weight);
  if (isTerminal(measured)) return quiet(measured);
  if (measured.status === 'stopping') return stopAgain(measured, tick, nowMs);
  const doubted = doubt(measured, tick, nowMs);
  if (doubted.status !== 'in_progress') return askReport(doubted, tick, nowMs);
  const operation = watch(doubted, tick, nowMs);
  const failure = failureOf(operation, tick, nowMs);
  return failure === null ? askReport(operation, tick, nowMs) : stop({ ...operation, failure }, nowMs);
}

function stopAgain(operation: OperationState, tick: Tick, nowMs: number): OperationTransition {
  const isStopDue = tick.isNewSession || isDue(operation.stopSentAtMs, nowMs, STOP_RESEND_MS);
  if (!tick.isReachable || !isStopDue) return quiet(operation);
  return { operation: { ...operation, stopSentAtMs: nowMs }, send: 'stop' };
}

/** Without the device's word nobody knows how it stands. */
function doubt(operation: OperationState, { isReachable }: Tick, nowMs: number): OperationState {
  const { status, startedAtMs, lastHeardAtMs } = operation;
  if (status === 'unconfirmed') return operation;
  const isUnheard =
    status === 'started'
      ? isDue(startedAtMs, nowMs, ACK_TIMEOUT_MS)
      : isDue(lastHeardAtMs, nowMs, FRESHNESS_MS);
  return isReachable && !isUnheard ? operation : { ...operation, status: 'unconfirmed' };
}

/** Remembers the last weight that tells movement from noise. */
function watch(operation: OperationState, { weight, capacityG }: Tick, nowMs: number): OperationState {
  if (weight === null) return operation;
  const { movedWeightG } = operation;
  const hasMoved = movedWeightG === null || Math.abs(weight.valueG - movedWeightG) > weightNoiseG(capacityG);
  if (!hasMoved) return operation;
  // The weight that movement is first measured against may have been read long before.
  return { ...operation, movedWeightG: weight.valueG, movedAtMs: Math.max(weight.tsMs, nowMs) };
}

function failureOf(
  operation: OperationState,
  { weight, capacityG }: Tick,
  nowMs: number,
): OperationFailure | null {
  const { plan, acknowledgedAtMs, startedAtMs, movedAtMs } = operation;
  if (plan === null) return null;
  if (nowMs - (acknowledgedAtMs ?? startedAtMs) > plan.maxDurationMs + OVERRUN_MARGIN_MS) {
    return { reason: 'overrun', message: 'it ran longer than it may' };
  }
  // Only readings tell that nothing moves: their absence tells nothing.
  if (weight === null || movedAtMs === null) return null;
  if (weight.tsMs - movedAtMs < watchdogMs(plan, capacityG)) return null;
  return { reason: 'no_movement', message: 'the weight does not move' };
}

const watchdogMs = ({ rateGPerMin }: OperationPlan, capacityG: number): number =>
  Math.max(WATCHDOG_MS_MIN, ((WATCHDOG_NOISE_FACTOR * weightNoiseG(capacityG)) / rateGPerMin) * MINUTE_MS);

function askReport(operation: OperationState, tick: Tick, nowMs: number): OperationTransition {
  const isDueNow = tick.isNewSession || isReportDue(operation, nowMs) || canBeDecidedNow(operation, nowMs);
  const isWanted = operation.status !== 'started' && isDueNow;
  if (!tick.isReachable || !isWanted) return quiet(operation);
  return { operation: { ...operation, reportAskedAtMs: nowMs }, send: 'report' };
}

/** From now on the answer "unknown" ends it, and the device was asked before that only. */
function canBeDecidedNow(operation: OperationState, nowMs: number): boolean {
  const untilMs = mayBeginUntilMs(operation);
  if (untilMs === null || nowMs <= untilMs) return false;
  return operation.reportAskedAtMs !== null && operation.reportAskedAtMs <= untilMs;
}
