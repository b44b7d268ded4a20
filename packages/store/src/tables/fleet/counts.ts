import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import { PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import type { Sql } from '../../sql.ts';
import { type AccessLimits, isLimited, limitConditions, Parameters, where } from './place.ts';
import { type StatusClock, statusExpression } from './status-expression.ts';

/** Devices that are neither offline nor in maintenance are online. */
export interface CountedDevices {
  readonly byProfile: readonly (readonly [profile: ProfileName, count: number])[];
  readonly offline: number;
  readonly maintenance: number;
}

export type AlertCount = [severity: AlertSeverity, total: number, unacknowledged: number];
export type JobCounts = [
  operations: number,
  commands: number,
  missions: number,
  stopped: number,
  stopUnconfirmed: number,
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

/**
 * Counts in one pass without sorting, because SQLite reads in the main thread. Of all devices it reads `presence` first,
 * because a device is found by its number faster than its presence; of few devices it reads those first.
 */
export async function countDevices(
  sql: Sql,
  limits: AccessLimits,
  clock: StatusClock,
): Promise<CountedDevices> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const ofStatus = (name: string) => countIf(`${statusExpression(clock, parameters)} = ${bind(name)}`);
  const counts = [
    ofStatus('offline'),
    ofStatus('maintenance'),
    ...PROFILE_NAMES.map((name) => countIf(`profile = ${bind(name)}`)),
  ];
  const source = isLimited(limits) ? 'devices JOIN presence ON TRUE' : 'presence CROSS JOIN devices';
  const conditions = [
    'devices.device_no = presence.device_no',
    'devices.removed_at_ms IS NULL',
    ...limitConditions(sql, limits, parameters),
  ];
  const [row = []] = await sql.query<number[]>(
    `SELECT ${counts.join()} FROM ${source} ${where(conditions)}`,
    parameters.values,
  );
  const [offline = 0, maintenance = 0, ...ofProfiles] = row;
  return { offline, maintenance, byProfile: PROFILE_NAMES.map((name, at) => [name, ofProfiles[at] ?? 0]) };
}

/** Counts in one pass without sorting. */
export async function countOpenAlerts(sql: Sql, limits: AccessLimits): Promise<AlertCount[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const counts = ALERT_SEVERITIES.flatMap((severity) => [
    countIf(`severity = ${bind(severity)}`),
    countIf(`severity = ${bind(severity)} AND status <> 'acknowledged'`),
  ]);
  const source = allowedRows(sql, 'open_alerts', '1 = 1', limits, parameters);
  const [row = []] = await sql.query<number[]>(
    `WITH ${OPEN_ALERTS} SELECT ${counts.join()} FROM ${source}`,
    parameters.values,
  );
  return ALERT_SEVERITIES.map((severity, at) => [severity, row[2 * at] ?? 0, row[2 * at + 1] ?? 0]);
}

const countIf = (condition: string): string => `COUNT(CASE WHEN ${condition} THEN 1 END)`;

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
export function allowedRows(
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
