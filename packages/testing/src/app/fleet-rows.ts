import type { DeviceSelection } from '@granary/app/conditions';
import { ALERT_DOCUMENT, type AlertState } from '@granary/core/alerts/lifecycle';
import { UNLIMITED } from '@granary/core/keys';
import {
  OPERATION_DOCUMENT,
  type OperationState,
  unsolicitedOperation,
} from '@granary/core/operations/state';
import { alertWith } from '../core/alerts.ts';
import type { TestEngine } from './engines.ts';
import { NOW_MS } from './fixtures.ts';

/** Every device, without limits. */
export const ALL_DEVICES: DeviceSelection = {
  limits: UNLIMITED,
  facility: null,
  zone: null,
  deviceId: null,
};

type AlertFields = Partial<AlertState> & Pick<AlertState, 'alertId' | 'deviceNo'>;

export const alertState = (fields: AlertFields): AlertState =>
  alertWith({ rule: fields.alertId, createdAtMs: NOW_MS, ...fields });

const text = (value: string | number | null): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

async function insert(
  engine: TestEngine,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): Promise<void> {
  const tuples = rows.map((row) => `(${row.map(text).join()})`);
  await engine.query(`INSERT INTO ${table} (${columns.join()}) VALUES ${tuples.join()}`);
}

/** Writes alerts without any change, in this order. */
export async function insertAlerts(engine: TestEngine, alerts: readonly AlertState[]): Promise<void> {
  const columns = ['alert_id', 'device_no', 'type', 'rule', 'status', 'severity', 'shelved_until_ms', 'body'];
  const rows = alerts.map((alert) => [
    alert.alertId,
    alert.deviceNo,
    alert.type,
    alert.rule ?? '',
    alert.status,
    alert.severity,
    alert.shelvedUntilMs,
    ALERT_DOCUMENT.write(alert),
  ]);
  await insert(engine, 'alerts', columns, rows);
}

type OperationFields = Pick<OperationState, 'operationId' | 'deviceNo' | 'status'>;

/** Writes operations that claim no device, in this order. */
export async function insertOperations(
  engine: TestEngine,
  operations: readonly OperationFields[],
): Promise<void> {
  const columns = ['operation_id', 'device_no', 'type', 'status', 'claims_device', 'is_finished'];
  const rows = operations.map(({ operationId, deviceNo, status }) => {
    const progress = { operation_id: operationId, state: 'running', amount_kg: 1, ts: NOW_MS } as const;
    const state = unsolicitedOperation(deviceNo, progress, NOW_MS);
    if (state === null) throw new Error('the operation is unknown');
    const isOver = ['completed', 'stopped', 'failed'].includes(status);
    const endedAtMs = isOver ? NOW_MS : null;
    return [
      operationId,
      deviceNo,
      'feed',
      status,
      0,
      Number(isOver),
      NOW_MS,
      endedAtMs,
      OPERATION_DOCUMENT.write({ ...state, status, endedAtMs }),
    ];
  });
  await insert(engine, 'operations', [...columns, 'advanced_at_ms', 'ended_at_ms', 'body'], rows);
}
