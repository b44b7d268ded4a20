import type { DeviceStatus } from '@granary/contract/devices/statuses';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { Sql } from '../../sql.ts';
import { endOfPart, type PartWanted } from './parts.ts';
import { Parameters } from './place.ts';
import { type StatusClock, statusExpression } from './status-expression.ts';

export type DeviceCount = [profile: ProfileName, status: DeviceStatus, count: number];
export type OpenAlertCount = [type: string, severity: string, status: string, count: number];
export type StatusCount = [status: string, count: number];

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
    `SELECT profile, status, COUNT(*) FROM (
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
     SELECT type, severity, status, COUNT(*) FROM open_alerts GROUP BY type, severity, status`,
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
     SELECT status, COUNT(*) FROM unfinished GROUP BY status`,
  );

/** From an index that begins with the status, so that only the counted rows are read. A status without rows counts 0. */
export async function countByStatus(
  sql: Sql,
  table: 'webhook_deliveries' | 'notifications',
  statuses: readonly string[],
): Promise<StatusCount[]> {
  const counts: StatusCount[] = [];
  for (const status of statuses) {
    const [row] = await sql.query<[number]>(`SELECT COUNT(*) FROM ${table} WHERE status = $1`, [status]);
    counts.push([status, row?.[0] ?? 0]);
  }
  return counts;
}
