import type { OperationType } from '@granary/contract/operations';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { CLOCK_AHEAD_MS_MAX } from '../jobs/polling.ts';
import {
  type DeviceReport,
  isTerminal,
  MEASURED_AFTER_END_MS_MAX,
  type OperationState,
  reportedAmountG,
  reportedEndMs,
  type Weight,
} from './state.ts';

/** A device may have begun an operation this long before its first report of it. */
const BEGUN_BEFORE_REPORT_MS_MAX = MINUTE_MS;
/** A change of weight below this share of the capacity cannot be distinguished from the scale's noise. */
const NOISE_OF_CAPACITY = 0.001;
export const IMBALANCE_PERCENT_MAX = 5;

/**
 * The scale shows the sum of everything that was moved. So an operation is measured from a weight that was read after all
 * other operations had ended to a weight that was read after its own end and before the next operation began. Without these
 * two weights its amount is not known. Times of weights are compared with times of reports, because both come from the clock
 * of the device.
 */

/** Measures the operation with the latest weight; the first weight after the end is the final one. */
export function weigh(operation: OperationState, weight: Weight | null): OperationState {
  const { endTsMs, measuredAtMs, isWeighable, isWeighedAfterEnd } = operation;
  if (weight === null || isWeighedAfterEnd) return operation;
  if (measuredAtMs !== null && weight.tsMs <= measuredAtMs) return operation;
  if (endTsMs !== null && weight.tsMs > endTsMs + MEASURED_AFTER_END_MS_MAX) return operation;
  return {
    ...operation,
    measuredG: isWeighable ? changeG(operation, weight) : operation.measuredG,
    measuredAtMs: weight.tsMs,
    isWeighedAfterEnd: endTsMs !== null && weight.tsMs >= endTsMs,
  };
}

/** The change of the weight in the requested direction. */
function changeG({ type, weightAtStartG }: OperationState, { valueG }: Weight): number | null {
  if (type === null || weightAtStartG === null) return null;
  return type === 'feed' ? valueG - weightAtStartG : weightAtStartG - valueG;
}

/** The operation with its end; a weight may have shown the end before the report of it arrived. */
export function withEnd(
  operation: OperationState,
  report: DeviceReport | null,
  nowMs: number,
): OperationState {
  const endTsMs = report === null ? nowMs : reportedEndMs(report, nowMs);
  const { measuredAtMs } = operation;
  const isWeighedAfterEnd =
    report !== null &&
    endTsMs === report.tsMs &&
    hasKeptClock(report) &&
    measuredAtMs !== null &&
    isReadAfter(endTsMs, measuredAtMs) &&
    measuredAtMs <= endTsMs + MEASURED_AFTER_END_MS_MAX;
  return { ...operation, endedAtMs: nowMs, endTsMs, isWeighedAfterEnd };
}

/** After a restart the clock of a device may be slow, so that a weight from before it has a later time than the report. */
const hasKeptClock = ({ state }: DeviceReport): boolean => state === 'completed' || state === 'stopped';

/** A clock that shows whole seconds can give the end and a weight before it the same time. */
const isReadAfter = (endTsMs: number, tsMs: number): boolean =>
  tsMs > endTsMs || (tsMs === endTsMs && tsMs % SECOND_MS !== 0);

/** The amount that the scale shows; `null` for an operation that has ended until a weight is read after its end. */
export const weighedAmountG = (operation: OperationState): number | null =>
  isTerminal(operation) ? finallyMeasuredG(operation) : partlyMeasuredG(operation);

/** The final measured amount, available once a weight was read after the end. */
export const finallyMeasuredG = (operation: OperationState): number | null =>
  operation.isWeighable && operation.isWeighedAfterEnd ? operation.measuredG : null;

const partlyMeasuredG = ({ isWeighable, measuredG }: OperationState): number | null =>
  isWeighable ? measuredG : null;

/** Another operation moves something, at the earliest at `sinceTsMs` by the device's clock, so later weights do not measure this one. */
function endWeighing(operation: OperationState, sinceTsMs: number): OperationState {
  const { isWeighable, isWeighedAfterEnd, measuredAtMs, measuredG } = operation;
  const isReadBefore = measuredAtMs !== null && measuredAtMs <= sinceTsMs;
  if (!isWeighable || (isWeighedAfterEnd && isReadBefore)) return operation;
  return { ...operation, isWeighable: false, measuredG: isReadBefore ? measuredG : null };
}

/** Ends the weighing of the other operations when a start is sent: every weight known at that time was read before the start. */
export const weighedUntilStart = (
  others: readonly OperationState[],
  weight: Weight | null,
): readonly OperationState[] =>
  others.map((other) => endWeighing(weigh(other, weight), Number.POSITIVE_INFINITY));

/** The weight before an operation; `null` if one of the other operations may have moved something after it was read. */
export const weightBefore = (others: readonly OperationState[], weight: Weight | null): Weight | null =>
  weight !== null && others.every((other) => isOverBefore(other, weight)) ? weight : null;

function isOverBefore(operation: OperationState, weight: Weight): boolean {
  const { endTsMs, isWeighedAfterEnd } = operation;
  if (endTsMs === null) return false;
  return isWeighedAfterEnd || hasMovedNothing(operation) || weight.tsMs > endTsMs + MEASURED_AFTER_END_MS_MAX;
}

/** A device that refuses a start but reports an amount may have moved it. */
const hasMovedNothing = ({ failure, largestReportedG }: OperationState): boolean =>
  (failure?.reason === 'refused' || failure?.reason === 'not_sent') && largestReportedG === 0;

/**
 * The greatest amount that an ended operation can have moved; `null` if it is not known. If the device stopped the
 * operation, its report of less is believed. A completed operation moved the requested amount, and a failed one may have
 * moved all that it was allowed to.
 */
function movedAtMostG(operation: OperationState): number | null {
  const { status, plan, largestReportedG } = operation;
  const reportedG = reportedAmountG(operation);
  if (plan === null) return reportedG === null ? null : Math.max(reportedG, largestReportedG);
  if (status === 'stopped' && reportedG !== null) return Math.max(reportedG, largestReportedG);
  return Math.max(status === 'completed' ? plan.amountG : plan.maxAmountG, reportedG ?? 0, largestReportedG);
}

/**
 * How much ended operations of this type may have moved since the weight was read; `null` if that is not known. The part
 * that the weight shows already is not counted twice.
 */
export function movedSinceG(
  type: OperationType,
  ended: readonly OperationState[],
  weight: Weight | null,
): number | null {
  let sumG = 0;
  for (const operation of ended.map((one) => weigh(one, weight))) {
    const isOther = operation.type !== null && operation.type !== type;
    if (isOther || weight === null || isOverBefore(operation, weight)) continue;
    const movedG = movedAtMostG(operation);
    if (movedG === null) return null;
    sumG += Math.max(0, movedG - Math.max(0, operation.measuredG ?? 0));
  }
  return sumG;
}

/** Ends the weighing of the other operations when a device reports an operation for the first time. */
export const weighedUntilReport = (
  others: readonly OperationState[],
  { tsMs }: DeviceReport,
  nowMs: number,
): readonly OperationState[] => {
  const hasClock = Math.abs(tsMs - nowMs) <= CLOCK_AHEAD_MS_MAX;
  const sinceTsMs = hasClock ? tsMs - BEGUN_BEFORE_REPORT_MS_MAX : Number.NEGATIVE_INFINITY;
  return others.map((other) => endWeighing(other, sinceTsMs));
};

/** Ends the weighing after a report that contradicts the recorded end of an operation, which may have moved material since that end. */
export function weighedDespite(
  before: OperationState,
  after: OperationState,
  others: readonly OperationState[],
): { readonly operation: OperationState; readonly others: readonly OperationState[] } {
  const sinceTsMs = before.endTsMs ?? Number.NEGATIVE_INFINITY;
  return {
    operation: others.length === 0 ? after : endWeighing(after, Number.NEGATIVE_INFINITY),
    others: others.map((other) => endWeighing(other, sinceTsMs)),
  };
}

export const weightNoiseG = (capacityG: number): number => capacityG * NOISE_OF_CAPACITY;

export interface MassBalance {
  /** The difference in percent of the amount that the device reported. */
  readonly differencePercent: number;
  readonly isImbalanced: boolean;
}

/** Compares the amount that a device reported with the change of its weight; a difference within the scale's noise counts as zero. */
export function massBalance(reportedG: number, measuredG: number, capacityG: number): MassBalance {
  const differenceG = Math.abs(reportedG - measuredG);
  if (differenceG <= weightNoiseG(capacityG)) return { differencePercent: 0, isImbalanced: false };
  const differencePercent = reportedG === 0 ? 100 : (differenceG / reportedG) * 100;
  return { differencePercent, isImbalanced: differencePercent > IMBALANCE_PERCENT_MAX };
}
