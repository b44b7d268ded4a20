import { operationRecord } from '@granary/core/operation-record';
import { finallyMeasuredG, isSettled, type OperationState } from '@granary/core/operation-state';
import { evaluateSilos } from './evaluation.ts';
import { logEvents, type NewEvent } from './events.ts';
import { updateOperation } from './operation-rows.ts';
import type { Sql } from './sql.ts';
import type { Watch } from './watches.ts';

/** Writes down what became of one operation, and with it whatever that makes of the silo's alerts. */
export async function settleChange(
  sql: Sql,
  watch: Watch,
  before: OperationState | null,
  after: OperationState,
  nowMs: number,
): Promise<void> {
  if (before !== null && !(await saveOperation(sql, before, after, nowMs))) return;
  const events = operationEvents(before, after, nowMs);
  if (!concernsAlerts(before, after)) return await logEvents(sql, events);
  const evaluation = await evaluateSilos(sql, [watch], nowMs);
  await logEvents(sql, [...events, ...evaluation.events]);
}

/** Answers whether anything changed. */
export async function saveOperation(
  sql: Sql,
  before: OperationState,
  after: OperationState,
  nowMs: number,
): Promise<boolean> {
  if (after === before && !isSettled(after, nowMs)) return false;
  await updateOperation(sql, after, nowMs);
  return after !== before;
}

export function operationEvents(
  before: OperationState | null,
  after: OperationState,
  atMs: number,
): NewEvent[] {
  if (before?.status === after.status) return [];
  const data = operationRecord(after);
  return [{ type: 'operation.status_changed', deviceNo: after.deviceNo, atMs, data }];
}

export const concernsAlerts = (before: OperationState | null, after: OperationState): boolean =>
  before === null ||
  before.status !== after.status ||
  before.failure !== after.failure ||
  finallyMeasuredG(before) !== finallyMeasuredG(after) ||
  (finallyMeasuredG(after) !== null && before.amountCompletedG !== after.amountCompletedG);
