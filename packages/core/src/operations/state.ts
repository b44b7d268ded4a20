import type { Actor } from '@granary/contract/audit';
import type { OperationProgress, ProgressState } from '@granary/contract/link/messages';
import {
  type MassUnit,
  OPERATION_STATUSES,
  type OperationFailure,
  type OperationStatus,
  type OperationType,
  type RateUnit,
} from '@granary/contract/operations';
import { sentence } from '@granary/contract/sentences/codes';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { jobDocument } from '../documents.ts';
import type { DeclaredEnd, Ended } from '../jobs/declared-end.ts';
import { CLOCK_AHEAD_MS_MAX, deviceTimeMs, type NotSentReason } from '../jobs/polling.ts';
import { toGrams } from '../units.ts';
import { deviceReason } from '../words.ts';

/** Only a weight read this soon after the end still measures the operation; a later one may show something else. */
export const MEASURED_AFTER_END_MS_MAX = MINUTE_MS;

/** A device answers in order, so one that does not know the operation this long after the expiry of its start will not begin it. */
export const START_SKEW_MS = 2 * SECOND_MS;

/** The requested amount and rate, and the limits that the device itself enforces. */
export interface OperationPlan {
  readonly amountG: number;
  readonly unit: MassUnit;
  readonly rateGPerMin: number;
  readonly rateUnit: RateUnit;
  readonly targetContainer: string | null;
  readonly maxAmountG: number;
  readonly maxDurationMs: number;
  /** The device does not carry out a start that arrives later than this. */
  readonly expiresAtMs: number;
}

/** Why an operation failed. */
export type Failure = Ended<OperationFailure['reason']>;

/** `failureBefore` is the failure for which the operation was being stopped, if there was one. */
interface DeclaredOperationEnd extends DeclaredEnd {
  readonly failureBefore: Failure | null;
}

/** The stored state of an operation; times come from the service's clock unless a comment says otherwise. */
export interface OperationState {
  readonly operationId: string;
  readonly deviceNo: number;
  /** `null` when the operation was started at the device and its report did not include the type. */
  readonly type: OperationType | null;
  /** `null` if the operation was started at the device and not through this service. */
  readonly plan: OperationPlan | null;
  readonly status: OperationStatus;
  /** The amount in the latest report, ordered by the device's clock. */
  readonly amountCompletedG: number;
  /** The largest amount in any report; a larger one proves that a report is not a repetition. */
  readonly largestReportedG: number;
  readonly startedAtMs: number;
  /** When the device first confirmed that it has the operation. */
  readonly acknowledgedAtMs: number | null;
  readonly lastHeardAtMs: number | null;
  /** The latest timestamp of a progress report, by the device's clock. */
  readonly lastProgressTsMs: number | null;
  readonly reportAskedAtMs: number | null;
  readonly stopRequestedAtMs: number | null;
  readonly stopSentAtMs: number | null;
  readonly endedAtMs: number | null;
  /** The time of the same end by the device's clock, as far as it is known; it is only compared with the times of weights. */
  readonly endTsMs: number | null;
  /** The operation ended because the device does not know it, so the moved amount was never reported. */
  readonly isOutcomeUnknown: boolean;
  /** When the device last reported the operation running after it had ended. */
  readonly reopenedAtMs: number | null;
  /** Why the start was never sent; `null` if it was sent or may have been. */
  readonly undelivered: NotSentReason | null;
  /** Once a failure is set, the operation ends as `failed`, whatever end the device reports. */
  readonly failure: Failure | null;
  /** The last declaration; the operation ended with it if its failure is `declared_ended`. */
  readonly declared: DeclaredOperationEnd | null;
  /** The caller; set by the use case, because no decision depends on it. */
  readonly requestedBy: Actor | null;
  readonly stoppedBy: Actor | null;
  /** `null` if it is not known, because another operation may have moved something since the last reading. */
  readonly weightAtStartG: number | null;
  /** The change of weight in the requested direction; `null` when it is not known. */
  readonly measuredG: number | null;
  /** The time of the newest weight, by the device's clock. */
  readonly measuredAtMs: number | null;
  /** A weight was read after the end, so `measuredG` is final. */
  readonly isWeighedAfterEnd: boolean;
  /** `false` if another operation may have moved something, too: then no later weight measures this operation. */
  readonly isWeighable: boolean;
  /** The last weight that differed from its predecessor by more than noise; `movedAtMs` is when it changed. */
  readonly movedWeightG: number | null;
  readonly movedAtMs: number | null;
}

export interface Weight {
  readonly valueG: number;
  readonly tsMs: number;
}

/** The amount that the device reports as moved; `null` if the operation has ended and the device did not report an amount. */
export function reportedAmountG(operation: OperationState): number | null {
  const isUnknown = operation.isOutcomeUnknown || operation.failure?.reason === 'declared_ended';
  return isUnknown && isTerminal(operation) ? null : operation.amountCompletedG;
}

export const isTerminal = ({ status }: OperationState): boolean =>
  status === 'completed' || status === 'stopped' || status === 'failed';

/** An operation occupies its device until the device has reported the end. */
export const holdsDevice = (operation: OperationState): boolean => !isTerminal(operation);

/**
 * A finished operation needs no more ticks: nothing is left to send, to wait for or to measure. A weight from before its end
 * counts as fresh for as long as the clock of the device may be ahead, and the next start must know of the operation until then.
 */
export function isFinished(operation: OperationState, nowMs: number): boolean {
  const { endedAtMs, isWeighedAfterEnd } = operation;
  if (endedAtMs === null) return false;
  return isWeighedAfterEnd || nowMs > endedAtMs + MEASURED_AFTER_END_MS_MAX + CLOCK_AHEAD_MS_MAX;
}

/** Until when an unacknowledged start may still reach the device; `null` if the device already has the operation. */
export const latestPossibleStartMs = ({ acknowledgedAtMs, plan }: OperationState): number | null =>
  acknowledgedAtMs !== null || plan === null ? null : plan.expiresAtMs + START_SKEW_MS;

export interface NewOperation {
  readonly operationId: string;
  readonly deviceNo: number;
  readonly type: OperationType;
  readonly plan: OperationPlan;
  /** The weight before anything moves; `null` when it is not known. */
  readonly weight: Weight | null;
}

const INITIAL = {
  amountCompletedG: 0,
  largestReportedG: 0,
  acknowledgedAtMs: null,
  lastHeardAtMs: null,
  lastProgressTsMs: null,
  reportAskedAtMs: null,
  stopRequestedAtMs: null,
  stopSentAtMs: null,
  endedAtMs: null,
  endTsMs: null,
  isOutcomeUnknown: false,
  reopenedAtMs: null,
  undelivered: null,
  failure: null,
  declared: null,
  requestedBy: null,
  stoppedBy: null,
  weightAtStartG: null,
  measuredG: null,
  measuredAtMs: null,
  isWeighedAfterEnd: false,
  isWeighable: true,
  movedWeightG: null,
  movedAtMs: null,
} as const;

/** The measured amount is added only when the failure is shown, because it may still be measured after the end. */
export const outcomeUnknown = ({ acknowledgedAtMs }: OperationState): Failure => ({
  reason: 'outcome_unknown',
  message: sentence(acknowledgedAtMs === null ? 'never_known' : 'no_longer_known', {}),
});

export function beginOperation({ weight, ...asked }: NewOperation, nowMs: number): OperationState {
  return {
    ...INITIAL,
    ...asked,
    status: 'started',
    startedAtMs: nowMs,
    weightAtStartG: weight?.valueG ?? null,
    measuredAtMs: weight?.tsMs ?? null,
  };
}

/** Names the first caller who asks for the stop of an operation that has not ended. */
export const stopAskedBy = (
  before: OperationState,
  stopped: OperationState,
  actor: Actor | null,
): OperationState =>
  isTerminal(before) || before.stoppedBy !== null || actor === null
    ? stopped
    : { ...stopped, stoppedBy: actor };

/** The content of a device's report about an operation. */
export interface DeviceReport {
  readonly state: ProgressState;
  readonly amountG: number;
  readonly reason: string | null;
  readonly tsMs: number;
}

export function deviceReport({ state, amount_kg, reason, ts }: OperationProgress): DeviceReport {
  return { state, amountG: toGrams(amount_kg, 'kg'), reason: reason ?? null, tsMs: deviceTimeMs(ts) };
}

/** The operation that a device reports and this service did not start, or `null` if the device reports that it does not know it. */
export function unsolicitedOperation(
  deviceNo: number,
  progress: OperationProgress,
  nowMs: number,
): OperationState | null {
  const report = deviceReport(progress);
  if (report.state === 'unknown') return null;
  return {
    ...INITIAL,
    operationId: progress.operation_id,
    deviceNo,
    type: progress.type ?? null,
    plan: null,
    status: report.state === 'running' ? 'in_progress' : report.state,
    amountCompletedG: report.amountG,
    largestReportedG: report.amountG,
    startedAtMs: nowMs,
    acknowledgedAtMs: nowMs,
    lastHeardAtMs: nowMs,
    lastProgressTsMs: report.tsMs,
    endedAtMs: report.state === 'running' ? null : nowMs,
    endTsMs: report.state === 'running' ? null : reportedEndMs(report, nowMs),
    failure: report.state === 'failed' ? deviceFault(report) : null,
  };
}

/**
 * The time of the end by the device's clock. If the report is too late or has a wrong time, its time says nothing about the
 * weights that are read now; then the time of its arrival is used.
 */
export const reportedEndMs = ({ tsMs }: DeviceReport, nowMs: number): number =>
  Math.abs(tsMs - nowMs) <= CLOCK_AHEAD_MS_MAX ? tsMs : nowMs;

export const deviceFault = ({ reason }: DeviceReport): Failure => ({
  reason: 'device_fault',
  message: deviceReason(reason),
});

/** The stored form of an operation. */
export const OPERATION_DOCUMENT = jobDocument<OperationState>(OPERATION_STATUSES);
