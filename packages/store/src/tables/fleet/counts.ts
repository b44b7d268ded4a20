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
       ${where(limitConditions(sql, limits, parameters))}) AS counted
     GROUP BY profile, status`,
    parameters.values,
  );
}

export async function countOpenAlerts(sql: Sql, limits: AccessLimits): Promise<AlertCount[]> {
  const parameters = new Parameters();
  const allowed = ofLimits(sql, limits, parameters);
  return await sql.query<AlertCount>(
    `WITH ${OPEN_ALERTS}
     SELECT severity, COUNT(*), COUNT(CASE WHEN status <> 'acknowledged' THEN 1 END) FROM open_alerts
     WHERE 1 = 1 ${allowed} GROUP BY severity`,
    parameters.values,
  );
}

export async function countJobs(sql: Sql, limits: AccessLimits): Promise<JobCounts> {
  const parameters = new Parameters();
  const allowed = ofLimits(sql, limits, parameters);
  const count = (what: string, table: string, condition: string) =>
    `(SELECT COUNT(${what}) FROM ${table} WHERE ${condition} ${allowed})`;
  const [row] = await sql.query<JobCounts>(
    `SELECT ${count('*', 'operations', OPERATION_UNDER_WAY)}, ${count('*', 'commands', COMMAND_UNDER_WAY)},
       ${count('*', 'missions', MISSION_UNDER_WAY)}, ${count('DISTINCT device_no', 'commands', STOP_IN_FORCE)},
       ${count('DISTINCT device_no', 'commands', `${STOP_IN_FORCE} AND ended_at_ms IS NULL`)}`,
    parameters.values,
  );
  return row ?? [0, 0, 0, 0, 0];
}

/** Without limits the devices are not read. */
function ofLimits(sql: Sql, limits: AccessLimits, parameters: Parameters): string {
  if (!isLimited(limits)) return '';
  const conditions = limitConditions(sql, limits, parameters).join(' AND ');
  return `AND device_no IN (SELECT device_no FROM devices WHERE ${conditions})`;
}
