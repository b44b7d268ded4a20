import type { AlertFilter, AlertType } from '@granary/contract/alerts';
import type { AlertState } from '@granary/core/alerts/lifecycle';
import type { DocumentKind } from '@granary/core/documents';
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRowsUnawaited } from '@granary/store/rows';
import type { Sql, Value } from '@granary/store/sql';
import { type OnUnreadable, reasonOf } from '../unreadable-row.ts';

export interface AlertPage {
  readonly deviceNo: number;
  readonly filter: AlertFilter;
  readonly beforeAlertId: string | null;
  readonly limit: number;
}

interface AlertRow {
  readonly alertId: string;
  readonly body: string;
}

/** The value that is stored instead of `null`, because a unique index takes two nulls for different. */
const NO_RULE = '';

type AlertDocument = DocumentKind<AlertState>;

/** A pending alert is not shown. */
export async function findAlert(
  sql: Sql,
  document: AlertDocument,
  deviceNo: number,
  alertId: string,
): Promise<AlertState | undefined> {
  const [row] = await sql.query<Pick<AlertRow, 'body'>>(
    `SELECT body FROM alerts WHERE alert_id = $1 AND device_no = $2 AND status <> 'pending'`,
    [alertId, deviceNo],
  );
  return row && document.read(row.body);
}

/** Lists alerts, newest first. Rows that cannot be read are left out; the evaluation reports them. */
export async function listAlerts(sql: Sql, document: AlertDocument, page: AlertPage): Promise<AlertState[]> {
  const found: AlertState[] = [];
  let { beforeAlertId } = page;
  for (;;) {
    const limit = page.limit - found.length;
    const rows = await selectPage(sql, { ...page, beforeAlertId, limit });
    found.push(...rows.flatMap(({ body }) => readable(document, body)));
    if (rows.length < limit || found.length === page.limit) return found;
    beforeAlertId = rows.at(-1)?.alertId ?? null;
  }
}

function readable(document: AlertDocument, body: string): AlertState[] {
  try {
    return [document.read(body)];
  } catch {
    return [];
  }
}

async function selectPage(sql: Sql, page: AlertPage): Promise<AlertRow[]> {
  const params: Value[] = [page.deviceNo, page.limit];
  const placeholder = (value: Value): string => `$${params.push(value)}`;
  const conditions = ['device_no = $1', ...shownAlerts(page.filter, placeholder)];
  if (page.beforeAlertId !== null) {
    const alertId = placeholder(page.beforeAlertId);
    conditions.push(`alert_no < (SELECT alert_no FROM alerts WHERE alert_id = ${alertId})`);
  }
  return await sql.query(
    `SELECT alert_id, body FROM alerts WHERE ${conditions.join(' AND ')} ORDER BY alert_no DESC LIMIT $2`,
    params,
  );
}

/** Each condition begins with its column. Alerts that are not resolved have an index of their own, which must be named. */
export function shownAlerts(filter: AlertFilter, placeholder: (value: Value) => string): string[] {
  const conditions = ["status <> 'pending'"];
  if (filter !== 'all' && filter !== 'resolved') conditions.push("status <> 'resolved'");
  if (filter === 'shelved') conditions.push('shelved_until_ms IS NOT NULL');
  else if (filter !== 'all' && filter !== 'open') conditions.push(`status = ${placeholder(filter)}`);
  if (HIDES_SHELVED.has(filter)) conditions.push('shelved_until_ms IS NULL');
  return conditions;
}

const HIDES_SHELVED: ReadonlySet<AlertFilter> = new Set<AlertFilter>([
  'open',
  'active',
  'acknowledged',
  'cleared',
]);

/** Reads the columns of these alerts, which is possible even if a document cannot be read. */
export async function alertColumns(
  sql: Sql,
  alertIds: readonly string[],
): Promise<Map<string, Pick<AlertState, 'status' | 'severity' | 'shelvedUntilMs'>>> {
  const rows = await sql.query<Pick<AlertState, 'alertId' | 'status' | 'severity' | 'shelvedUntilMs'>>(
    `SELECT alert_id, status, severity, shelved_until_ms FROM alerts WHERE ${sql.isOneOf('alert_id', '$1')}`,
    [JSON.stringify(alertIds)],
  );
  return new Map(rows.map(({ alertId, ...columns }) => [alertId, columns]));
}

/** A row that exists and cannot be read. */
export interface UnreadableAlert {
  readonly deviceNo: number;
  readonly type: AlertType;
  readonly rule: string | null;
}

/** All alerts that are not resolved, including pending ones. */
export async function openAlerts(
  sql: Sql,
  document: AlertDocument,
  deviceNos: readonly number[],
  onUnreadable: OnUnreadable,
): Promise<{ readonly alerts: readonly AlertState[]; readonly unreadable: readonly UnreadableAlert[] }> {
  const rows = await sql.query<{
    alertId: string;
    deviceNo: number;
    type: AlertType;
    rule: string;
    body: string;
  }>(
    `SELECT alert_id, device_no, type, rule, body FROM alerts
     WHERE status <> 'resolved' AND ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  const alerts: AlertState[] = [];
  const unreadable: UnreadableAlert[] = [];
  for (const { alertId, deviceNo, type, rule, body } of rows) {
    try {
      alerts.push(document.read(body));
    } catch (error) {
      unreadable.push({ deviceNo, type, rule: rule === NO_RULE ? null : rule });
      onUnreadable({ kind: 'alert', id: alertId, reason: reasonOf(error) });
    }
  }
  return { alerts, unreadable };
}

export async function saveAlerts(
  sql: Sql,
  document: AlertDocument,
  alerts: readonly AlertState[],
): Promise<void> {
  await insertRowsUnawaited(
    sql,
    {
      table: 'alerts',
      onConflict: `ON CONFLICT (alert_id) DO UPDATE SET
        status = excluded.status, severity = excluded.severity, cause = excluded.cause, shelved_until_ms = excluded.shelved_until_ms,
        resolved_at_ms = excluded.resolved_at_ms, body = excluded.body`,
    },
    alerts.map((alert) => ({
      alertId: alert.alertId,
      deviceNo: alert.deviceNo,
      type: alert.type,
      rule: alert.rule ?? NO_RULE,
      status: alert.status,
      severity: alert.severity,
      cause: alert.cause,
      shelvedUntilMs: alert.shelvedUntilMs,
      resolvedAtMs: alert.resolvedAtMs,
      body: document.write(alert),
    })),
  );
}

export async function removeAlert(sql: Sql, alertId: string): Promise<void> {
  await sql.run('DELETE FROM alerts WHERE alert_id = $1', [alertId]);
}

export const expireAlerts = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(
    sql,
    { table: 'alerts', key: 'alert_no', time: 'resolved_at_ms', only: "status = 'resolved'" },
    expiry,
  );
