import type { DeviceStatus } from '@granary/contract/devices/statuses';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { Sql } from '@granary/store/sql';
import { Parameters, type StatusClock, statusExpression } from '../conditions.ts';

/** The rows after a number of which one statement reads at most so many, because SQLite reads in the main thread. */
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
  /** After which number the next part begins; `null` after the last part. */
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
 * The open alerts that are not shelved, from their own index. They are chosen before they are grouped, because SQLite would
 * otherwise read all alerts in the order of another index; the same holds for the unfinished jobs.
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

/** From an index that begins with the status, so that only the counted rows are read. A status without rows counts 0. */
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

export interface SeenDevice {
  readonly deviceId: string;
  readonly lastSeenAtMs: number;
}

export interface SeenPart {
  readonly seen: readonly SeenDevice[];
  /** After which device number the next part begins; `null` after the last part. */
  readonly next: number | null;
}

/** The devices that were seen at or after a time, whichever node they report to. */
export async function listSeenSince(sql: Sql, sinceMs: number, part: PartWanted): Promise<SeenPart> {
  const next = await endOfPart(sql, 'device_no', 'presence WHERE device_no >', part);
  const seen = await sql.query<SeenDevice>(
    `SELECT device_id, last_seen_at_ms FROM presence JOIN devices USING (device_no)
     WHERE presence.device_no > $1 AND presence.device_no <= $2 AND last_seen_at_ms >= $3`,
    [part.after, next ?? Number.MAX_SAFE_INTEGER, sinceMs],
  );
  return { seen, next };
}
