import type { AlertFilter } from '@granary/contract/alerts';
import type { AlertState } from '@granary/core/alerts';
import type { Expiry } from './errands.ts';
import { insertRows } from './rows.ts';
import type { Sql, Value } from './sql.ts';

export interface AlertPage {
  readonly deviceNo: number;
  readonly filter: AlertFilter;
  readonly beforeAlertId: string | null;
  readonly limit: number;
}

type AlertRow = [body: string];

const toAlert = ([body]: AlertRow): AlertState => JSON.parse(body);

/** Nobody is shown a pending one. */
export async function findAlert(
  sql: Sql,
  deviceNo: number,
  alertId: string,
): Promise<AlertState | undefined> {
  const [row] = await sql.query<AlertRow>(
    `SELECT body FROM alerts WHERE alert_id = $1 AND device_no = $2 AND status <> 'pending'`,
    [alertId, deviceNo],
  );
  return row && toAlert(row);
}

/** Newest first. */
export async function listAlerts(sql: Sql, page: AlertPage): Promise<AlertState[]> {
  const params: Value[] = [page.deviceNo, page.limit];
  const conditions = ['device_no = $1', "status <> 'pending'"];
  if (page.filter === 'open') conditions.push("status <> 'resolved'");
  else if (page.filter !== 'all') {
    params.push(page.filter);
    conditions.push(`status = $${params.length}`);
  }
  if (page.beforeAlertId !== null) {
    params.push(page.beforeAlertId);
    conditions.push(`alert_no < (SELECT alert_no FROM alerts WHERE alert_id = $${params.length})`);
  }
  const rows = await sql.query<AlertRow>(
    `SELECT body FROM alerts WHERE ${conditions.join(' AND ')} ORDER BY alert_no DESC LIMIT $2`,
    params,
  );
  return rows.map(toAlert);
}

/** All that are not resolved, pending ones too. */
export async function openAlerts(sql: Sql, deviceNos: readonly number[]): Promise<AlertState[]> {
  const rows = await sql.query<AlertRow>(
    `SELECT body FROM alerts WHERE status <> 'resolved' AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  return rows.map(toAlert);
}

export async function saveAlerts(sql: Sql, alerts: readonly AlertState[]): Promise<void> {
  await insertRows(
    sql,
    {
      table: 'alerts',
      columns: ['alert_id', 'device_no', 'type', 'status', 'resolved_at_ms', 'body'],
      onConflict: `ON CONFLICT (alert_id) DO UPDATE
        SET status = excluded.status, resolved_at_ms = excluded.resolved_at_ms, body = excluded.body`,
    },
    alerts.map((alert) => [
      ...[alert.alertId, alert.deviceNo, alert.type, alert.status, alert.resolvedAtMs],
      JSON.stringify(alert),
    ]),
  );
}

export async function removeAlert(sql: Sql, alertId: string): Promise<void> {
  await sql.run('DELETE FROM alerts WHERE alert_id = $1', [alertId]);
}

/** Removes some of the alerts that were resolved before a time and answers how many. */
export async function expireAlerts(sql: Sql, { beforeMs, rowsMax }: Expiry): Promise<number> {
  const isOld = "status = 'resolved' AND resolved_at_ms < $1";
  return await sql.run(
    `DELETE FROM alerts WHERE ${isOld} AND alert_no IN (
       SELECT alert_no FROM alerts WHERE ${isOld}
       ORDER BY resolved_at_ms LIMIT $2 ${sql.forUpdate} ${sql.skipHeld})`,
    [beforeMs, rowsMax],
  );
}
