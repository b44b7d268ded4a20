import type { OperationProgress, ProgressState } from '@granary/contract/link/messages';
import {
  type MassUnit,
  OPERATION_STATUSES,
  type OperationFailure,
  type OperationStatus,
  type OperationType,
  type RateUnit,
} from '@granary/contract/operations';
import { MINUTE_MS } from '@granary/contract/time';
import { deviceTimeMs } from '../devices/polling.ts';
import { storedJob } from '../devices/stored-job.ts';
import { toGrams } from '../units.ts';

/** The scale's last word on an operation is one from soon after its end; later ones tell of something else. */
const MEASURED_AFTER_END_MS_MAX = MINUTE_MS;

/** What was asked for, and the bounds that the device keeps by itself. */
export interface OperationPlan {
  readonly amountG: number;
  readonly unit: MassUnit;
  readonly rateGPerMin: number;
  readonly rateUnit: RateUnit;
  readonly targetContainer: string | null;
  readonly maxAmountG: number;
  readonly maxDurationMs: number;
  /** A start that reaches the device later than this is not carried out. */
  readonly expiresAtMs: number;
}

/** Why a start was not written to the device's connection. */
export type Undelivered = 'not_connected' | 'not_subscribed' | 'expired' | 'in_flight';

/** Everything known of an operation. Times are the service's own clock unless they say otherwise. */
export interface OperationState {
  readonly operationId: string;
  readonly deviceNo: number;
  /** `null` when the device reported it and did not say. */
  readonly type: OperationType | null;
  /** `null` when nobody asked this service for it. */
  readonly plan: OperationPlan | null;
  readonly status: OperationStatus;
  /** By the newest report, in the order of the device's clock. */
  readonly amountCompletedG: number;
  /** The largest amount of any report: what exceeds it was not reported before. */
  readonly largestReportedG: number;
  readonly startedAtMs: number;
  /** When the device first showed that it has the operation. */
  readonly acknowledgedAtMs: number | null;
  readonly lastHeardAtMs: number | null;
  /** The newest time, by the device's clock, that it reported progress for. */
  readonly lastProgressTsMs: number | null;
  readonly reportAskedAtMs: number | null;
  readonly stopRequestedAtMs: number | null;
  readonly stopSentAtMs: number | null;
  readonly endedAtMs: number | null;
  /** It ended because the device does not know it: nobody reported how much it moved. */
  readonly isOutcomeUnknown: boolean;
  /** When the device last moved it although it was taken for ended. */
  readonly reopenedAtMs: number | null;
  /** Why its start was never sent; `null` if it was, or may have been. */
  readonly undelivered: Undelivered | null;
  /** Once there, the operation ends in `failed`, whatever else the device says of its end. */
  readonly failure: OperationFailure | null;
  readonly weightAtStartG: number | null;
  /** By how much the weight changed in the wanted direction, and the time of the reading that says so. */
  readonly measuredG: number | null;
  readonly measuredAtMs: number | null;
  /** The last weight that differed from the one before by more than noise, and since when it stands. */
  readonly movedWeightG: number | null;
  readonly movedAtMs: number | null;
}

export interface Weight {
  readonly valueG: number;
  readonly tsMs: number;
}

export const isTerminal = ({ status }: OperationState): boolean =>
  status === 'completed' || status === 'stopped' || status === 'failed';

/** An operation is over only once the device has said so; until then nothing else may move. */
export const holdsDevice = (operation: OperationState): boolean => !isTerminal(operation);

/** Nothing more is to be done or learnt: it needs no further ticks. */
export function isFinished(operation: OperationState, nowMs: number): boolean {
  const { endedAtMs, measuredAtMs, weightAtStartG } = operation;
  if (endedAtMs === null) return false;
  if (weightAtStartG === null || nowMs > endedAtMs + MEASURED_AFTER_END_MS_MAX) return true;
  return measuredAtMs !== null && measuredAtMs >= endedAtMs;
}

export interface NewOperation {
  readonly operationId: string;
  readonly deviceNo: number;
  readonly type: OperationType;
  readonly plan: OperationPlan;
  readonly weightG: number;
}

const UNTOUCHED = {
  amountCompletedG: 0,
  largestReportedG: 0,
  acknowledgedAtMs: null,
  lastHeardAtMs: null,
  lastProgressTsMs: null,
  reportAskedAtMs: null,
  stopRequestedAtMs: null,
  stopSentAtMs: null,
  endedAtMs: null,
  isOutcomeUnknown: false,
  reopenedAtMs: null,
  undelivered: null,
  failure: null,
  weightAtStartG: null,
  measuredG: null,
  measuredAtMs: null,
  movedWeightG: null,
  movedAtMs: null,
} as const;

/** Reasons of earlier versions. They claimed more than was known: what they mean is that the outcome is unknown. */
const OUTCOME_UNKNOWN_BEFORE: readonly string[] = ['not_started', 'forgotten'];

/** Fills in what earlier versions did not store. */
export function restoreOperation(stored: unknown): OperationState {
  const job = storedJob<OperationState>(stored, OPERATION_STATUSES);
  const largestReportedG = job.largestReportedG ?? job.amountCompletedG;
  const operation = { ...UNTOUCHED, ...job, largestReportedG };
  const { failure } = operation;
  if (failure === null || !OUTCOME_UNKNOWN_BEFORE.includes(failure.reason)) return operation;
  return { ...operation, isOutcomeUnknown: true, failure: outcomeUnknown(operation) };
}

/** What the scale saw is added wherever it is shown, because it may still be weighed afterwards. */
export const outcomeUnknown = ({ acknowledgedAtMs }: OperationState): OperationFailure => ({
  reason: 'outcome_unknown',
  message:
    acknowledgedAtMs === null
      ? 'the device does not know this operation, and whether it began was not reported'
      : 'the device no longer knows this operation, and how much it moved was not reported',
});

export function beginOperation({ weightG, ...asked }: NewOperation, nowMs: number): OperationState {
  return { ...UNTOUCHED, ...asked, status: 'started', startedAtMs: nowMs, weightAtStartG: weightG };
}

/** How an operation stands, in the device's words. */
export interface DeviceReport {
  readonly state: ProgressState;
  readonly amountG: number;
  readonly reason: string | null;
  readonly tsMs: number;
}

export function deviceReport({ state, amount_kg, reason, ts }: OperationProgress): DeviceReport {
  return { state, amountG: toGrams(amount_kg, 'kg'), reason: reason ?? null, tsMs: deviceTimeMs(ts) };
}

/** The operation that a device reports and nobody here began, or `null` if the device says that there is none. */
export function unsolicitedOperation(
  deviceNo: number,
  progress: OperationProgress,
  nowMs: number,
): OperationState | null {
  const report = deviceReport(progress);
  if (report.state === 'unknown') return null;
  return {
    ...UNTOUCHED,
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
    failure: report.state === 'failed' ? deviceFault(report) : null,
  };
}

export const deviceFault = ({ reason }: DeviceReport): OperationFailure => ({
  reason: 'device_fault',
  message: reason ?? 'the device reported a fault',
});

/** Takes the newest weight as what the operation has moved so far, and the first one after its end as the last. */
export function measureMoved(operation: OperationState, weight: Weight | null): OperationState {
  const { type, weightAtStartG, startedAtMs, endedAtMs } = operation;
  if (weight === null || type === null || weightAtStartG === null) return operation;
  const measuredAtMs = operation.measuredAtMs ?? startedAtMs;
  if (weight.tsMs <= measuredAtMs) return operation;
  if (endedAtMs !== null) {
    if (measuredAtMs >= endedAtMs || weight.tsMs > endedAtMs + MEASURED_AFTER_END_MS_MAX) return operation;
  }
  const gainedG = weight.valueG - weightAtStartG;
  return { ...operation, measuredG: type === 'feed' ? gainedG : -gainedG, measuredAtMs: weight.tsMs };
}

/** What the scale says was moved in all, once the operation is over and a reading from after its end is there. */
export function finallyMeasuredG({ endedAtMs, measuredAtMs, measuredG }: OperationState): number | null {
  const isFinal = endedAtMs !== null && measuredAtMs !== null && measuredAtMs >= endedAtMs;
  return isFinal ? measuredG : null;
}
