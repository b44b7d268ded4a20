import { operationRecord } from '@granary/core/operations/record';
import {
  isFinished,
  isTerminal,
  OPERATION_DOCUMENT,
  type OperationState,
} from '@granary/core/operations/state';
import { finallyMeasuredG } from '@granary/core/operations/weighing';
import type { Sql } from '@granary/store/sql';
import type { FactRows } from '@granary/store/tables/fact-rows';
import { JobTable } from '@granary/store/tables/jobs';
import { newestOperations, unfinishedOperations } from '@granary/store/tables/operations';
import type { OnUnreadable } from '@granary/store/tables/unreadable-row';
import { together } from '../together.ts';

export const OPERATIONS = new JobTable<OperationState>({
  name: 'operation',
  idOf: ({ operationId }) => operationId,
  document: OPERATION_DOCUMENT,
  isFinished,
  /** The claim on the device ends with the operation and is not renewed, also if the end was wrong. */
  columnsOf: (before, after) => {
    if (before === null) return { type: after.type, claims_device: Number(after.plan !== null) };
    return isTerminal(after) ? { claims_device: 0 } : {};
  },
  eventsOf: (before, after) =>
    before?.status === after.status
      ? []
      : [{ type: 'operation.status_changed', data: operationRecord(after) }],
  concernsAlerts: (before, after) =>
    before === null ||
    before.status !== after.status ||
    before.failure !== after.failure ||
    finallyMeasuredG(before) !== finallyMeasuredG(after) ||
    (finallyMeasuredG(after) !== null && before.amountCompletedG !== after.amountCompletedG),
});

/** The latest operation of each device, and all that are not finished. */
export async function currentOperations(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<OperationState[]> {
  const [newest, unfinished] = await together([
    newestOperations(sql, OPERATIONS, deviceNos),
    unfinishedOperations(sql, OPERATIONS, deviceNos, onUnreadable),
  ]);
  return distinct([...newest, ...unfinished]);
}

/** The current operations, as above, from rows that were read together with the other facts of the device. */
export const currentOperationsIn = (
  { newestOperations: newest, unfinishedOperations: unfinished }: FactRows,
  onUnreadable?: OnUnreadable,
): OperationState[] =>
  distinct([...OPERATIONS.restored(newest), ...OPERATIONS.restored(unfinished, onUnreadable)]);

const distinct = (operations: readonly OperationState[]): OperationState[] => [
  ...new Map(operations.map((operation) => [operation.operationId, operation])).values(),
];
