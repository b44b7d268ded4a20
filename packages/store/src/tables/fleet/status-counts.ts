import type { Sql } from '../../sql.ts';

export type OpenAlertCount = [type: string, severity: string, status: string, count: number];
export type StatusCount = [status: string, count: number];

/**
 * The open alerts that are not shelved, from their own index. They are chosen before they are grouped, because SQLite would
 * otherwise read all alerts in the order of another index; the same holds for the unfinished jobs.
 */
export const countOpenAlertsByType = async (sql: Sql): Promise<OpenAlertCount[]> =>
  await sql.query<OpenAlertCount>(
    `WITH open_alerts AS MATERIALIZED (
       SELECT type, severity, status FROM alerts
       WHERE status <> 'resolved' AND status <> 'pending' AND shelved_until_ms IS NULL)
     SELECT type, severity, status, COUNT(*) FROM open_alerts GROUP BY type, severity, status`,
  );

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
