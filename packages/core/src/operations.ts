import type { OperationFailure } from '@granary/contract/operations';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { EXPIRY_SKEW_MS, isDue, isReportDue } from './device-talk.ts';
import { FRESHNESS_MS } from './devices.ts';
import { weightNoiseG } from './mass-balance.ts';
import {
  type DeviceReport,
  deviceFault,
  isTerminal,
  measureMoved,
  type OperationPlan,
  type OperationState,
  type Weight,
} from './operation-state.ts';

export const ACK_TIMEOUT_MS = 10 * SECOND_MS;
export const STOP_RESEND_MS = SECOND_MS;
/** Room for the device to end an overlong operation by itself and to say so. */
export const OVERRUN_MARGIN_MS = 30 * SECOND_MS;
export const WATCHDOG_MS_MIN = MINUTE_MS;
/** A slow operation is given the time to move the weight by this many times the scale's noise. */
const WATCHDOG_NOISE_FACTOR = 2;

const NOT_STARTED: OperationFailure = {
  reason: 'not_started',
  message: 'the start did not reach the device in time',
};
const FORGOTTEN: OperationFailure = {
  reason: 'forgotten',
  message: 'the device no longer knows it; how much it moved is uncertain',
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
  | Tick;

/** What an operation has become, and what to send to its device. A start is never among it. */
export interface Advance {
  readonly operation: OperationState;
  readonly send: 'stop' | 'report' | null;
}

/**
 * What an input makes of an operation, at any time and in any state. No status claims more than the device has said, and
 * only its own word ends an operation: a failure that we see first is noted at once and stops it, but it is `stopping`
 * until the device confirms. An operation that nothing changed is returned as the same object.
 */
export function advance(operation: OperationState, input: OperationInput, nowMs: number): Advance {
  switch (input.kind) {
    case 'stop':
      return isTerminal(operation) || operation.status === 'stopping'
        ? quiet(operation)
        : stop(operation, nowMs);
    case 'ack':
      return answered(operation, input.accepted, input.reason, nowMs);
    case 'progress':
      return reported(operation, input, nowMs);
    case 'tick':
      return ticked(operation, input, nowMs);
  }
}

const quiet = (operation: OperationState): Advance => ({ operation, send: null });

const stop = (operation: OperationState, nowMs: number): Advance => ({
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
function reopen(operation: OperationState, nowMs: number): Advance {
  const neverRan = operation.failure?.reason === 'refused' || isInferred(operation);
  return stop({ ...operation, failure: neverRan ? null : operation.failure }, nowMs);
}

/** Ended because the device knew nothing of it, not because it spoke of an end. */
const isInferred = ({ failure }: OperationState): boolean =>
  failure?.reason === 'not_started' || failure?.reason === 'forgotten';

const end = (operation: OperationState, status: 'completed' | 'stopped', nowMs: number): Advance =>
  quiet({ ...operation, status: operation.failure === null ? status : 'failed', endedAtMs: nowMs });

const fail = (operation: OperationState, failure: OperationFailure, nowMs: number): Advance =>
  quiet({ ...operation, status: 'failed', failure, endedAtMs: nowMs });

/** A start is answered once. What follows is an echo, or the answer to a copy of it that the device refused as such. */
function answered(before: OperationState, accepted: boolean, reason: string | null, nowMs: number): Advance {
  if (before.acknowledgedAtMs !== null) return quiet(before);
  if (!accepted) {
    if (isTerminal(before)) return quiet(before);
    const message = reason ?? 'the device refused it';
    return fail({ ...before, lastHeardAtMs: nowMs }, { reason: 'refused', message }, nowMs);
  }
  const operation = { ...before, acknowledgedAtMs: nowMs, lastHeardAtMs: nowMs };
  return isTerminal(before) ? reopen(operation, nowMs) : quiet(running(operation));
}

function reported(before: OperationState, report: DeviceReport, nowMs: number): Advance {
  if (isEcho(before, report)) {
    if (isTerminal(before)) return quiet(before);
    // Or a clock that was set back: then the next word, asked for soon, is later than this one.
    if (report.state === 'unknown') return quiet({ ...before, lastProgressTsMs: report.tsMs });
  }
  const heard = {
    ...before,
    amountCompletedG: Math.max(before.amountCompletedG, report.amountG),
    lastHeardAtMs: nowMs,
    lastProgressTsMs: Math.max(before.lastProgressTsMs ?? report.tsMs, report.tsMs),
  };
  if (report.state === 'unknown') return forgotten(heard, nowMs);
  const known = { ...heard, acknowledgedAtMs: before.acknowledgedAtMs ?? nowMs };
  if (report.state === 'running') return isTerminal(known) ? reopen(known, nowMs) : quiet(running(known));
  if (isTerminal(known) && !isInferred(known)) return quiet(known);
  const operation = isInferred(known) ? { ...known, failure: null } : known;
  if (report.state === 'failed') return fail(operation, operation.failure ?? deviceFault(report), nowMs);
  return end(operation, report.state, nowMs);
}

/** A link that was cut delivers some words again. They tell of no later time and of nothing more moved. */
const isEcho = ({ lastProgressTsMs, amountCompletedG }: OperationState, report: DeviceReport): boolean =>
  lastProgressTsMs !== null && report.tsMs <= lastProgressTsMs && report.amountG <= amountCompletedG;

/** Being stopped outlives any word but that of an end. What was unheard of is watched anew. */
function running(operation: OperationState): OperationState {
  if (operation.status === 'stopping' || operation.status === 'in_progress') return operation;
  return { ...operation, status: 'in_progress', movedWeightG: null, movedAtMs: null };
}

/** The device knows no such operation. That ends it, unless its start may still be on the way. */
function forgotten(operation: OperationState, nowMs: number): Advance {
  const { acknowledgedAtMs, plan, status } = operation;
  const mayStillBegin = plan !== null && nowMs <= plan.expiresAtMs + EXPIRY_SKEW_MS;
  if (isTerminal(operation) || (acknowledgedAtMs === null && mayStillBegin)) return quiet(operation);
  if (status === 'stopping') return end(operation, 'stopped', nowMs);
  return fail(operation, acknowledgedAtMs === null ? NOT_STARTED : FORGOTTEN, nowMs);
}

function ticked(before: OperationState, tick: Tick, nowMs: number): Advance {
  const measured = measureMoved(before, tick.weight);
  if (isTerminal(measured)) return quiet(measured);
  if (measured.status === 'stopping') return stopAgain(measured, tick, nowMs);
  const doubted = doubt(measured, tick, nowMs);
  if (doubted.status !== 'in_progress') return askReport(doubted, tick, nowMs);
  const operation = watch(doubted, tick, nowMs);
  const failure = failureOf(operation, tick, nowMs);
  return failure === null ? askReport(operation, tick, nowMs) : stop({ ...operation, failure }, nowMs);
}

function stopAgain(operation: OperationState, tick: Tick, nowMs: number): Advance {
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

function askReport(operation: OperationState, tick: Tick, nowMs: number): Advance {
  const isWanted = operation.status !== 'started' && (tick.isNewSession || isReportDue(operation, nowMs));
  if (!tick.isReachable || !isWanted) return quiet(operation);
  return { operation: { ...operation, reportAskedAtMs: nowMs }, send: 'report' };
}
