import type { Sql } from '../sql.ts';
import { isUnfinished } from './commands.ts';
import type { DeviceJob, JobTable } from './jobs.ts';
import type { OnUnreadable } from './unreadable-row.ts';

/** Of the newest operation of each of the devices in the parameter `$1`. */
export const isNewestOperation = (sql: Sql): string =>
  sql.isFound(
    'operation_no',
    `SELECT (SELECT MAX(operation_no) FROM operations AS own WHERE own.device_no = alert_evaluations.device_no)
     FROM alert_evaluations WHERE ${sql.isOneOfNumbers('alert_evaluations.device_no', '$1')}`,
  );

/** The newest operation of each of these devices. */
export async function newestOperations<Operation extends DeviceJob>(
  sql: Sql,
  operations: JobTable<Operation>,
  deviceNos: readonly number[],
): Promise<Operation[]> {
  return await operations.where(sql, isNewestOperation(sql), [JSON.stringify(deviceNos)]);
}

export async function unfinishedOperations<Operation extends DeviceJob>(
  sql: Sql,
  operations: JobTable<Operation>,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<Operation[]> {
  return await operations.where(sql, isUnfinished(sql), [JSON.stringify(deviceNos)], onUnreadable);
}

/** Works also for a row whose body cannot be read. */
export async function deviceOfOperation(sql: Sql, operationId: string): Promise<number | undefined> {
  const [row] = await sql.query<[deviceNo: number]>(
    'SELECT device_no FROM operations WHERE operation_id = $1',
    [operationId],
  );
  return row?.[0];
}

/** The id of the operation that claims the device; the database allows one for each device. */
export async function claimingOperation(sql: Sql, deviceNo: number): Promise<string | undefined> {
  const [row] = await sql.query<[operationId: string]>(
    'SELECT operation_id FROM operations WHERE device_no = $1 AND claims_device = 1',
    [deviceNo],
  );
  return row?.[0];
}
