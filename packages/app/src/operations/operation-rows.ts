import { operationRecord } from '@granary/core/operations/record';
import {
  isFinished,
  isTerminal,
  OPERATION_DOCUMENT,
  type OperationState,
} from '@granary/core/operations/state';
import { finallyMeasuredG } from '@granary/core/operations/weighing';
import type { Sql } from '@granary/store/sql';
import { isUnfinished, JobTable, type StopRow, type StoredJob } from '../jobs/job-rows.ts';
import { together } from '../transaction.ts';
import type { OnUnreadable } from '../unreadable-row.ts';

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

/** Returns the latest operation of each device, and all operations that are not finished. */
export async function currentOperations(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<OperationState[]> {
  const params = [JSON.stringify(deviceNos)];
  const [newest, unfinished] = await together([
    OPERATIONS.where(sql, isNewestOperation(sql), params),
    OPERATIONS.where(sql, isUnfinished(sql), params, onUnreadable),
  ]);
  return distinct([...newest, ...unfinished]);
}

/** Does the same with rows that were read together with the other facts of the device. */
export const currentOperationsIn = (
  newest: readonly StoredJob[],
  unfinished: readonly StoredJob[],
  onUnreadable?: OnUnreadable,
): OperationState[] =>
  distinct([...OPERATIONS.restored(newest), ...OPERATIONS.restored(unfinished, onUnreadable)]);

const distinct = (operations: readonly OperationState[]): OperationState[] => [
  ...new Map(operations.map((operation) => [operation.operationId, operation])).values(),
];

/** The condition for the newest operation of each of the devices in the parameter `$1`. */
export const isNewestOperation = (sql: Sql): string =>
  sql.isFound(
    'operation_no',
    `SELECT (SELECT MAX(operation_no) FROM operations AS own WHERE own.device_no = alert_evaluations.device_no)
     FROM alert_evaluations WHERE ${sql.isOneOfNumbers('alert_evaluations.device_no', '$1')}`,
  );

/** Finds the device of an operation, even if the body of the operation cannot be read. */
export async function deviceOfOperation(sql: Sql, operationId: string): Promise<number | undefined> {
  const [row] = await sql.query<{ deviceNo: number }>(
    'SELECT device_no FROM operations WHERE operation_id = $1',
    [operationId],
  );
  return row?.deviceNo;
}

/** The id of the operation that claims the device; the database allows one for each device. */
export async function claimingOperation(sql: Sql, deviceNo: number): Promise<string | undefined> {
  const [row] = await sql.query<{ operationId: string }>(
    'SELECT operation_id FROM operations WHERE device_no = $1 AND claims_device = 1',
    [deviceNo],
  );
  return row?.operationId;
}

/** Lists the operations that are stopping, even if their bodies cannot be read. */
export const stoppingOperations = (sql: Sql, limit: number): Promise<StopRow[]> =>
  sql.query<StopRow>(
    `SELECT device_id, operation_id AS id FROM operations JOIN devices USING (device_no)
     WHERE status = 'stopping' ORDER BY operation_no DESC LIMIT $1`,
    [limit],
  );
