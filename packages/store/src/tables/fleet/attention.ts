import type { Sql } from '../../sql.ts';
import { allowedRows, MISSION_UNDER_WAY, OPEN_ALERTS, OPERATION_UNDER_WAY, STOP_IN_FORCE } from './counts.ts';
import { type AccessLimits, limitConditions, Parameters } from './place.ts';
import { type StatusClock, statusExpression } from './status-expression.ts';

/** A stored record that may need attention, with its device. */
export interface AttentionRow {
  readonly deviceId: string;
  readonly name: string;
  readonly body: string;
}

export interface OfflineDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly lastSeenAtMs: number | null;
}

interface Selection {
  readonly table: string;
  readonly condition: string;
  readonly order: string;
}

/** Of each kind the most urgent ones, at most `limit`. */
async function select(
  sql: Sql,
  { table, condition, order }: Selection,
  limits: AccessLimits,
  limit: number,
): Promise<AttentionRow[]> {
  const parameters = new Parameters();
  const allowed = limitConditions(sql, limits, parameters).map((text) => `AND ${text}`);
  return toRows(
    await sql.query<Row>(
      `SELECT device_id, name, body FROM ${table} JOIN devices USING (device_no)
       WHERE ${condition} ${allowed.join(' ')} ORDER BY ${order} LIMIT ${parameters.bind(limit)}`,
      parameters.values,
    ),
  );
}

type Row = [deviceId: string, name: string, body: string];

const toRows = (rows: readonly Row[]): AttentionRow[] =>
  rows.map(([deviceId, name, body]) => ({ deviceId, name, body }));

/** Unconfirmed ones first. */
export const emergencyStopsInForce = (sql: Sql, limits: AccessLimits, limit: number) =>
  select(
    sql,
    {
      table: 'commands',
      condition: STOP_IN_FORCE,
      order: 'CASE WHEN ended_at_ms IS NULL THEN 0 ELSE 1 END, command_no',
    },
    limits,
    limit,
  );

/** Operations with a stop that is not confirmed, then those whose reports are missing. */
export const doubtfulOperations = (sql: Sql, limits: AccessLimits, limit: number) =>
  select(
    sql,
    {
      table: 'operations',
      condition: "is_finished = 0 AND status IN ('stopping', 'unconfirmed')",
      order: 'status, operation_no',
    },
    limits,
    limit,
  );

/** Those that nobody has acknowledged, critical ones first. */
export async function unacknowledgedAlerts(
  sql: Sql,
  limits: AccessLimits,
  limit: number,
): Promise<AttentionRow[]> {
  const parameters = new Parameters();
  const source = allowedRows(
    sql,
    'open_alerts',
    "open_alerts.status <> 'acknowledged' AND severity <> 'info'",
    limits,
    parameters,
  );
  return toRows(
    await sql.query<Row>(
      `WITH ${OPEN_ALERTS}, chosen AS MATERIALIZED (
         SELECT alert_no, severity FROM ${source} ORDER BY severity, alert_no LIMIT ${parameters.bind(limit)})
       SELECT device_id, name, body FROM chosen JOIN alerts USING (alert_no) JOIN devices USING (device_no)
       ORDER BY chosen.severity, alert_no`,
      parameters.values,
    ),
  );
}

/** Devices that are offline with an operation, a mission or a command under way, longest silent first. */
export async function offlineDevicesWithJobs(
  sql: Sql,
  limits: AccessLimits,
  clock: StatusClock,
  limit: number,
): Promise<OfflineDevice[]> {
  const parameters = new Parameters();
  const conditions = [
    `${statusExpression(clock, parameters)} = 'offline'`,
    ...limitConditions(sql, limits, parameters),
  ];
  const rows = await sql.query<[deviceId: string, name: string, lastSeenAtMs: number | null]>(
    `WITH busy AS MATERIALIZED (
       SELECT device_no FROM operations WHERE ${OPERATION_UNDER_WAY}
       UNION ALL SELECT device_no FROM missions WHERE ${MISSION_UNDER_WAY}
       UNION ALL SELECT device_no FROM commands WHERE is_finished = 0 AND status IN ('sent', 'executing'))
     SELECT device_id, name, last_seen_at_ms FROM devices JOIN presence USING (device_no)
     WHERE device_no IN (SELECT device_no FROM busy) AND ${conditions.join(' AND ')} ORDER BY last_seen_at_ms, device_no LIMIT ${parameters.bind(limit)}`,
    parameters.values,
  );
  return rows.map(([deviceId, name, lastSeenAtMs]) => ({ deviceId, name, lastSeenAtMs }));
}
