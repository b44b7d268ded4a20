import { ALERT_SEVERITIES, type AlertSeverity } from '@granary/contract/alerts';
import type { DeviceStatus } from '@granary/contract/devices/statuses';
import { PROFILE_NAMES, type ProfileName } from '@granary/contract/profiles/profiles';
import { isUnlimited, type Limits } from '@granary/core/keys';
import type { Sql } from '@granary/store/sql';
import { limitConditions, Parameters, type StatusClock, statusExpression, where } from '../conditions.ts';

/** Jobs that have begun and have not ended; each of these conditions is served by an index of the unfinished rows. */
const OPERATION_UNDER_WAY = 'is_finished = 0 AND ended_at_ms IS NULL';
const COMMAND_UNDER_WAY = OPERATION_UNDER_WAY;
const MISSION_UNDER_WAY = `${OPERATION_UNDER_WAY} AND status <> 'scheduled'`;
/** An emergency stop is finished when it was released or replaced. */
const STOP_IN_FORCE = "is_finished = 0 AND command = 'emergency_stop'";

/** The rows after a number; one statement reads at most `rowsMax` of them, because SQLite reads in the main thread. */
export interface PartWanted {
  readonly after: number;
  readonly rowsMax: number;
}

/** The number of the last row of a part, or `null` when all further rows belong to it. */
export async function endOfPart(
  sql: Sql,
  number: string,
  rowsAfter: string,
  { after, rowsMax }: PartWanted,
): Promise<number | null> {
  const [row] = await sql.query<{ last: number }>(
    `SELECT ${number} AS last FROM ${rowsAfter} $1 ORDER BY ${number} LIMIT 1 OFFSET $2`,
    [after, rowsMax - 1],
  );
  return row?.last ?? null;
}

export interface DeviceCount {
  readonly profile: ProfileName;
  readonly status: DeviceStatus;
  readonly count: number;
}
export interface OpenAlertCount {
  readonly type: string;
  readonly severity: string;
  readonly status: string;
  readonly count: number;
}
export interface StatusCount {
  readonly status: string;
  readonly count: number;
}

export interface CountPart<Row> {
  readonly counts: Row[];
  /** The number after which the next part begins; `null` after the last part. */
  readonly next: number | null;
}

export async function countDevicesInPart(
  sql: Sql,
  clock: StatusClock,
  part: PartWanted,
): Promise<CountPart<DeviceCount>> {
  const next = await endOfPart(sql, 'device_no', 'devices WHERE device_no >', part);
  const parameters = new Parameters();
  const { bind } = parameters;
  const status = statusExpression(clock, parameters);
  const counts = await sql.query<DeviceCount>(
    `SELECT profile, status, COUNT(*) AS count FROM (
       SELECT profile, ${status} AS status FROM devices JOIN presence USING (device_no)
       WHERE devices.removed_at_ms IS NULL AND devices.device_no > ${bind(part.after)}
         AND devices.device_no <= ${bind(next ?? Number.MAX_SAFE_INTEGER)}) AS counted
     GROUP BY profile, status`,
    parameters.values,
  );
  return { counts, next };
}

/**
 * Counts the open alerts that are not shelved, from their own index. The rows are chosen before they are grouped, because
 * SQLite would otherwise read all alerts in the order of another index; the same holds for the unfinished jobs.
 */
export async function countOpenAlertsInPart(sql: Sql, part: PartWanted): Promise<CountPart<OpenAlertCount>> {
  const next = await endOfPart(sql, 'alert_no', "alerts WHERE status <> 'resolved' AND alert_no >", part);
  const counts = await sql.query<OpenAlertCount>(
    `WITH open_alerts AS MATERIALIZED (
       SELECT type, severity, status FROM alerts
       WHERE status <> 'resolved' AND status <> 'pending' AND shelved_until_ms IS NULL
         AND alert_no > $1 AND alert_no <= $2)
     SELECT type, severity, status, COUNT(*) AS count FROM open_alerts GROUP BY type, severity, status`,
    [part.after, next ?? Number.MAX_SAFE_INTEGER],
  );
  return { counts, next };
}

export const countUnfinishedByStatus = async (
  sql: Sql,
  table: 'operations' | 'commands' | 'missions',
): Promise<StatusCount[]> =>
  await sql.query<StatusCount>(
    `WITH unfinished AS MATERIALIZED (
       SELECT status FROM ${table} WHERE is_finished = 0 AND ended_at_ms IS NULL)
     SELECT status, COUNT(*) AS count FROM unfinished GROUP BY status`,
  );

/** Counts from an index that begins with the status, so that only the counted rows are read. A status without rows counts 0. */
export async function countByStatus(
  sql: Sql,
  table: 'webhook_deliveries' | 'notifications',
  statuses: readonly string[],
): Promise<StatusCount[]> {
  const counts: StatusCount[] = [];
  for (const status of statuses) {
    const [row] = await sql.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM ${table} WHERE status = $1`,
      [status],
    );
    counts.push({ status, count: row?.count ?? 0 });
  }
  return counts;
}

interface SeenDevice {
  readonly deviceId: string;
  readonly lastSeenAtMs: number;
}

export interface SeenPart {
  readonly seen: readonly SeenDevice[];
  /** The device number after which the next part begins; `null` after the last part. */
  readonly next: number | null;
}

/** Lists the devices that were seen at or after a time, on any node. */
export async function listSeenSince(sql: Sql, sinceMs: number, part: PartWanted): Promise<SeenPart> {
  const next = await endOfPart(sql, 'device_no', 'presence WHERE device_no >', part);
  const seen = await sql.query<SeenDevice>(
    `SELECT device_id, last_seen_at_ms FROM presence JOIN devices USING (device_no)
     WHERE presence.device_no > $1 AND presence.device_no <= $2 AND last_seen_at_ms >= $3`,
    [part.after, next ?? Number.MAX_SAFE_INTEGER, sinceMs],
  );
  return { seen, next };
}

/** Devices that are neither offline nor in maintenance are online. */
export interface CountedDevices {
  readonly byProfile: readonly (readonly [profile: ProfileName, count: number])[];
  readonly offline: number;
  readonly maintenance: number;
}

export type AlertCount = [severity: AlertSeverity, total: number, unacknowledged: number];

export interface JobCounts {
  readonly operations: number;
  readonly commands: number;
  readonly missions: number;
  readonly stopped: number;
  readonly stopUnconfirmed: number;
}

/**
 * The open alerts that are not shelved, from their own index. They are chosen before anything else, because SQLite would
 * otherwise read all alerts in the order of another index.
 */
const OPEN_ALERTS = `open_alerts AS MATERIALIZED (
  SELECT alert_no, device_no, severity, status FROM alerts
  WHERE status <> 'resolved' AND status <> 'pending' AND shelved_until_ms IS NULL)`;

/**
 * Counts in one pass without sorting, because SQLite reads in the main thread. For all devices, `presence` is read first,
 * because a device is found by its number faster than its presence; for few devices, these are read first.
 */
export async function countDevices(sql: Sql, limits: Limits, clock: StatusClock): Promise<CountedDevices> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const ofStatus = (name: string) => countIf(`${statusExpression(clock, parameters)} = ${bind(name)}`);
  const counts = [
    ofStatus('offline'),
    ofStatus('maintenance'),
    ...PROFILE_NAMES.map((name) => countIf(`profile = ${bind(name)}`)),
  ];
  const source = isUnlimited(limits) ? 'presence CROSS JOIN devices' : 'devices JOIN presence ON TRUE';
  const conditions = [
    'devices.device_no = presence.device_no',
    'devices.removed_at_ms IS NULL',
    ...limitConditions(sql, limits, parameters),
  ];
  // The values follow in the order of the names, one column for each name.
  const [row = []] = await sql.queryArrays<number[]>(
    `SELECT ${counts.join()} FROM ${source} ${where(conditions)}`,
    parameters.values,
  );
  const [offline = 0, maintenance = 0, ...ofProfiles] = row;
  return { offline, maintenance, byProfile: PROFILE_NAMES.map((name, at) => [name, ofProfiles[at] ?? 0]) };
}

/** Counts in one pass without sorting. */
export async function countOpenAlerts(sql: Sql, limits: Limits): Promise<AlertCount[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const counts = ALERT_SEVERITIES.flatMap((severity) => [
    countIf(`severity = ${bind(severity)}`),
    countIf(`severity = ${bind(severity)} AND status <> 'acknowledged'`),
  ]);
  const source = allowedRows(sql, 'open_alerts', '1 = 1', limits, parameters);
  const [row = []] = await sql.queryArrays<number[]>(
    `WITH ${OPEN_ALERTS} SELECT ${counts.join()} FROM ${source}`,
    parameters.values,
  );
  return ALERT_SEVERITIES.map((severity, at) => [severity, row[2 * at] ?? 0, row[2 * at + 1] ?? 0]);
}

const countIf = (condition: string): string => `COUNT(CASE WHEN ${condition} THEN 1 END)`;

export async function countJobs(sql: Sql, limits: Limits): Promise<JobCounts> {
  const parameters = new Parameters();
  const count = (table: string, condition: string, what = '*') =>
    `(SELECT COUNT(${what}) FROM ${allowedRows(sql, table, condition, limits, parameters)})`;
  const stopped = 'DISTINCT commands.device_no';
  const [row] = await sql.query<JobCounts>(
    `SELECT ${count('operations', OPERATION_UNDER_WAY)} AS operations, ${count('commands', COMMAND_UNDER_WAY)} AS commands,
       ${count('missions', MISSION_UNDER_WAY)} AS missions, ${count('commands', STOP_IN_FORCE, stopped)} AS stopped,
       ${count('commands', `${STOP_IN_FORCE} AND ended_at_ms IS NULL`, stopped)} AS stop_unconfirmed`,
    parameters.values,
  );
  return row ?? { operations: 0, commands: 0, missions: 0, stopped: 0, stopUnconfirmed: 0 };
}

/**
 * The rows of a table that meet the condition and belong to allowed devices. Without limits the devices are not read. CROSS
 * JOIN makes SQLite read the table first, because few of its rows meet the condition.
 */
function allowedRows(
  sql: Sql,
  table: string,
  condition: string,
  limits: Limits,
  parameters: Parameters,
): string {
  if (isUnlimited(limits)) return `${table} WHERE ${condition}`;
  const allowed = limitConditions(sql, limits, parameters).join(' AND ');
  return `${table} CROSS JOIN devices
    WHERE ${condition} AND devices.device_no = ${table}.device_no AND ${allowed}`;
}

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

/** Selects the most urgent rows of one kind, at most `limit`. */
async function select(
  sql: Sql,
  { table, condition, order }: Selection,
  limits: Limits,
  limit: number,
): Promise<AttentionRow[]> {
  const parameters = new Parameters();
  const allowed = limitConditions(sql, limits, parameters).map((text) => `AND ${text}`);
  return await sql.query<AttentionRow>(
    `SELECT device_id, name, body FROM ${table} JOIN devices USING (device_no)
     WHERE ${condition} ${allowed.join(' ')} ORDER BY ${order} LIMIT ${parameters.bind(limit)}`,
    parameters.values,
  );
}

/** Lists the emergency stops in force; unconfirmed ones come first. */
export const emergencyStopsInForce = (sql: Sql, limits: Limits, limit: number) =>
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
export const doubtfulOperations = (sql: Sql, limits: Limits, limit: number) =>
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

/** Lists the alerts that nobody has acknowledged, except those of severity `info`; critical ones come first. */
export async function unacknowledgedAlerts(sql: Sql, limits: Limits, limit: number): Promise<AttentionRow[]> {
  const parameters = new Parameters();
  const source = allowedRows(
    sql,
    'open_alerts',
    "open_alerts.status <> 'acknowledged' AND severity <> 'info'",
    limits,
    parameters,
  );
  return await sql.query<AttentionRow>(
    `WITH ${OPEN_ALERTS}, chosen AS MATERIALIZED (
       SELECT alert_no, severity FROM ${source} ORDER BY severity, alert_no LIMIT ${parameters.bind(limit)})
     SELECT device_id, name, body FROM chosen JOIN alerts USING (alert_no) JOIN devices USING (device_no)
     ORDER BY chosen.severity, alert_no`,
    parameters.values,
  );
}

/** Devices that are offline with an operation, a mission or a command under way, longest silent first. */
export async function offlineDevicesWithJobs(
  sql: Sql,
  limits: Limits,
  clock: StatusClock,
  limit: number,
): Promise<OfflineDevice[]> {
  const parameters = new Parameters();
  const conditions = [
    `${statusExpression(clock, parameters)} = 'offline'`,
    ...limitConditions(sql, limits, parameters),
  ];
  return await sql.query<OfflineDevice>(
    `WITH busy AS MATERIALIZED (
       SELECT device_no FROM operations WHERE ${OPERATION_UNDER_WAY}
       UNION ALL SELECT device_no FROM missions WHERE ${MISSION_UNDER_WAY}
       UNION ALL SELECT device_no FROM commands WHERE is_finished = 0 AND status IN ('sent', 'executing'))
     SELECT device_id, name, last_seen_at_ms FROM devices JOIN presence USING (device_no)
     WHERE device_no IN (SELECT device_no FROM busy) AND ${conditions.join(' AND ')} ORDER BY last_seen_at_ms, device_no LIMIT ${parameters.bind(limit)}`,
    parameters.values,
  );
}
