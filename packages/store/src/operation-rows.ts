import type { OperationStatus, OperationType } from '@granary/contract/operations';
import { isSettled, isTerminal, type OperationState } from '@granary/core/operation-state';
import type { Sql, Value } from './sql.ts';

export interface OperationPage {
  readonly deviceNo: number;
  readonly status: OperationStatus | null;
  readonly type: OperationType | null;
  readonly beforeOperationId: string | null;
  readonly limit: number;
}

type OperationRow = [body: string];

const toOperation = ([body]: OperationRow): OperationState => JSON.parse(body);

/** Ids are unique among all devices, so this also finds an operation that another device reported. */
export async function findOperation(sql: Sql, operationId: string): Promise<OperationState | undefined> {
  const [row] = await sql.query<OperationRow>('SELECT body FROM operations WHERE operation_id = $1', [
    operationId,
  ]);
  return row && toOperation(row);
}

/** Newest first, in the order in which they became known: ids that devices made up do not sort by time. */
export async function listOperations(sql: Sql, page: OperationPage): Promise<OperationState[]> {
  const params: Value[] = [page.deviceNo, page.limit];
  const conditions = ['device_no = $1'];
  const add = (condition: (placeholder: string) => string, value: string | null): void => {
    if (value === null) return;
    params.push(value);
    conditions.push(condition(`$${params.length}`));
  };
  add(
    (id) => `operation_no < (SELECT operation_no FROM operations WHERE operation_id = ${id})`,
    page.beforeOperationId,
  );
  add((status) => `status = ${status}`, page.status);
  add((type) => `type = ${type}`, page.type);
  const rows = await sql.query<OperationRow>(
    `SELECT body FROM operations WHERE ${conditions.join(' AND ')} ORDER BY operation_no DESC LIMIT $2`,
    params,
  );
  return rows.map(toOperation);
}

/** The newest operation of each device and all that are not settled. */
export async function currentOperations(sql: Sql, deviceNos: readonly number[]): Promise<OperationState[]> {
  const params = [JSON.stringify(deviceNos)];
  const newest = await sql.query<OperationRow>(
    `SELECT newest.body FROM watches JOIN operations AS newest
       ON newest.operation_no = (SELECT MAX(operation_no) FROM operations AS every
                                 WHERE every.device_no = watches.device_no)
     WHERE ${sql.isOneOfNumbers('watches.device_no', '$1')}`,
    params,
  );
  const unsettled = await sql.query<OperationRow>(
    `SELECT body FROM operations WHERE is_settled = 0 AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    params,
  );
  const distinct = new Map<string, OperationState>();
  for (const row of [...newest, ...unsettled]) {
    const operation = toOperation(row);
    distinct.set(operation.operationId, operation);
  }
  return [...distinct.values()];
}

/** Answers whether there was room for it: `false` if the id is taken or, for one that claims its device, the device is. */
export async function insertOperation(
  sql: Sql,
  operation: OperationState,
  { claimsDevice, nowMs }: { claimsDevice: boolean; nowMs: number },
): Promise<boolean> {
  const inserted = await sql.run(
    `INSERT INTO operations (operation_id, device_no, type, status, claims_device, is_settled, ticked_at_ms, body)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    [
      ...[operation.operationId, operation.deviceNo, operation.type, operation.status],
      ...[Number(claimsDevice), Number(isSettled(operation, nowMs)), nowMs, JSON.stringify(operation)],
    ],
  );
  return inserted === 1;
}

/** A claim on the device ends with the operation and never comes back, also if the end turns out to be untrue. */
export async function updateOperation(sql: Sql, operation: OperationState, nowMs: number): Promise<void> {
  await sql.run(
    `UPDATE operations SET status = $2, claims_device = CASE WHEN $3 = 1 THEN 0 ELSE claims_device END,
                           is_settled = $4, body = $5
     WHERE operation_id = $1`,
    [
      ...[operation.operationId, operation.status, Number(isTerminal(operation))],
      ...[Number(isSettled(operation, nowMs)), JSON.stringify(operation)],
    ],
  );
}

/** Devices with operations that are not settled, those first that were ticked longest ago. */
export async function unsettledDevices(sql: Sql, limit: number): Promise<number[]> {
  const rows = await sql.query<[deviceNo: number, tickedAtMs: number]>(
    `SELECT device_no, MIN(ticked_at_ms) AS waits_since_ms FROM operations WHERE is_settled = 0
     GROUP BY device_no ORDER BY waits_since_ms, device_no LIMIT $1`,
    [limit],
  );
  return rows.map(([deviceNo]) => deviceNo);
}

/** Only needed when there were more than could be ticked at once, so that the others come next. */
export async function recordTick(sql: Sql, deviceNos: readonly number[], nowMs: number): Promise<void> {
  await sql.run(
    `UPDATE operations SET ticked_at_ms = $2 WHERE is_settled = 0 AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos), nowMs],
  );
}
