import type { AlertSeverity } from '@granary/contract/alerts';
import type { DeviceStatus } from '@granary/contract/devices/statuses';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { Sql } from '../../sql.ts';
import { type AccessLimits, isLimited, limitConditions, Parameters, where } from './place.ts';
import { type StatusClock, statusExpression } from './status-expression.ts';

export type DeviceCount = [profile: ProfileName, status: DeviceStatus, count: number];
export type AlertCount = [severity: AlertSeverity, total: number, unacknowledged: number];
export type JobCounts = [
  ...[operations: number, commands: number, missions: number],
  ...[stopped: number, stopUnconfirmed: number],
];

/** Jobs that have begun and have not ended; each of these conditions is served by an index of the unfinished rows. */
export const OPERATION_UNDER_WAY = 'is_finished = 0 AND ended_at_ms IS NULL';
const COMMAND_UNDER_WAY = OPERATION_UNDER_WAY;
export const MISSION_UNDER_WAY = `${OPERATION_UNDER_WAY} AND status <> 'scheduled'`;
/** An emergency stop is finished when it was released or replaced. */
export const STOP_IN_FORCE = "is_finished = 0 AND command = 'emergency_stop'";

/**
 * The open alerts that are not shelved, from their own index. They are chosen before anything else, because SQLite would
 * otherwise read all alerts in the order of another index.
 */
export const OPEN_ALERTS = `open_alerts AS MATERIALIZED (
  SELECT alert_no, device_no, severity, status FROM alerts
  WHERE status <> 'resolved' AND status <> 'pending' AND shelved_until_ms IS NULL)`;

export async function countDevices(
  sql: Sql,
  limits: AccessLimits,
  clock: StatusClock,
): Promise<DeviceCount[]> {
  const parameters = new Parameters();
  const status = statusExpression(clock, parameters);
  return await sql.query<DeviceCount>(
    `SELECT profile, status, COUNT(*) FROM (
       SELECT profile, ${status} AS status FROM devices JOIN presence USING (device_no)
       ${where(['devices.removed_at_ms IS NULL', ...limitConditions(sql, limits, parameters)])}) AS counted
     GROUP BY profile, status`,
    parameters.values,
  );
}

export async function countOpenAlerts(sql: Sql, limits: AccessLimits): Promise<AlertCount[]> {
  const parameters = new Parameters();
  const source = allowedRows(sql, 'open_alerts', '1 = 1', limits, parameters);
  return await sql.query<AlertCount>(
    `WITH ${OPEN_ALERTS}
     SELECT severity, COUNT(*), COUNT(CASE WHEN status <> 'acknowledged' THEN 1 END) FROM ${source}
     GROUP BY severity`,
    parameters.values,
  );
}

export async function countJobs(sql: Sql, limits: AccessLimits): Promise<JobCounts> {
  const parameters = new Parameters();
  const count = (table: string, condition: string, what = '*') =>
    `(SELECT COUNT(${what}) FROM ${allowedRows(sql, table, condition, limits, parameters)})`;
  const stopped = 'DISTINCT commands.device_no';
  const [row] = await sql.query<JobCounts>(
    `SELECT ${count('operations', OPERATION_UNDER_WAY)}, ${count('commands', COMMAND_UNDER_WAY)},
       ${count('missions', MISSION_UNDER_WAY)}, ${count('commands', STOP_IN_FORCE, stopped)},
       ${count('commands', `${STOP_IN_FORCE} AND ended_at_ms IS NULL`, stopped)}`,
    parameters.values,
  );
  return row ?? [0, 0, 0, 0, 0];
}

/**
 * The rows of a table that meet the condition and belong to allowed devices. Without limits the devices are not read. CROSS
 * JOIN makes SQLite read the table first, because few of its rows meet the condition.
 */
function allowedRows(
  sql: Sql,
  table: string,
  condition: string,
  limits: AccessLimits,
  parameters: Parameters,
): string {
  if (!isLimited(limits)) return `${table} WHERE ${condition}`;
  const allowed = limitConditions(sql, limits, parameters).join(' AND ');
  return `${table} CROSS JOIN devices
    WHERE ${condition} AND devices.device_no = ${table}.device_no AND ${allowed}`;
}
