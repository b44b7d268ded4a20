import type { DocumentKind } from '@granary/core/documents';
import type { Notice } from '@granary/core/notifications/notice';
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { type OnUnreadable, reasonOf } from '../unreadable-row.ts';

export interface NoticeKey {
  readonly ruleId: string;
  readonly alertId: string;
  readonly step: number;
}

export interface StoredNotice extends NoticeKey {
  readonly notice: Notice;
}

type NoticeDocument = DocumentKind<Omit<Notice, 'dueAtMs'>>;
interface NoticeRow extends NoticeKey {
  readonly dueAtMs: number | null;
  readonly body: string;
}

const SELECT_NOTICE = 'SELECT rule_id, alert_id, step, due_at_ms, body FROM notification_notices';
const KEY_CONDITION = 'rule_id = $1 AND alert_id = $2 AND step = $3';

/** Returns every notice about these alerts. A notice that cannot be read is left out and written anew with the next change. */
export async function noticesOfAlerts(
  sql: Sql,
  document: NoticeDocument,
  alertIds: readonly string[],
): Promise<StoredNotice[]> {
  const rows = await sql.query<NoticeRow>(`${SELECT_NOTICE} WHERE ${sql.isOneOf('alert_id', '$1')}`, [
    JSON.stringify(alertIds),
  ]);
  return rows.flatMap((row) => readable(document, row, () => undefined));
}

/** Returns the due notices; those of a rule and step are adjacent. A notice that cannot be read is reported, and is never due again. */
export async function dueNotices(
  sql: Sql,
  document: NoticeDocument,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
  onUnreadable: OnUnreadable,
): Promise<StoredNotice[]> {
  const rows = await sql.query<NoticeRow>(
    `${SELECT_NOTICE} WHERE due_at_ms IS NOT NULL AND due_at_ms <= $1
     ORDER BY rule_id, step, due_at_ms, alert_id LIMIT $2`,
    [nowMs, limit],
  );
  const unreadable: NoticeRow[] = [];
  const found = rows.flatMap((row) =>
    readable(document, row, (reason) => {
      unreadable.push(row);
      onUnreadable({ kind: 'notice', id: `${row.ruleId} ${row.alertId} ${row.step}`, reason });
    }),
  );
  for (const { ruleId, alertId, step } of unreadable) {
    await sql.run(`UPDATE notification_notices SET due_at_ms = NULL WHERE ${KEY_CONDITION}`, [
      ruleId,
      alertId,
      step,
    ]);
  }
  return found;
}

export async function hasDueNotices(sql: Sql, nowMs: number): Promise<boolean> {
  const rows = await sql.query(
    'SELECT 1 AS found FROM notification_notices WHERE due_at_ms IS NOT NULL AND due_at_ms <= $1 LIMIT 1',
    [nowMs],
  );
  return rows.length > 0;
}

function readable(
  document: NoticeDocument,
  { ruleId, alertId, step, dueAtMs, body }: NoticeRow,
  onFault: (reason: string) => void,
): StoredNotice[] {
  try {
    return [{ ruleId, alertId, step, notice: { ...document.read(body), dueAtMs } }];
  } catch (error) {
    onFault(reasonOf(error));
    return [];
  }
}

export async function saveNotices(
  sql: Sql,
  document: NoticeDocument,
  notices: readonly StoredNotice[],
  nowMs: number,
): Promise<void> {
  await insertRows(
    sql,
    {
      table: 'notification_notices',
      onConflict: `ON CONFLICT (rule_id, alert_id, step) DO UPDATE SET
        due_at_ms = excluded.due_at_ms, changed_at_ms = excluded.changed_at_ms, body = excluded.body`,
    },
    notices.map(({ ruleId, alertId, step, notice: { dueAtMs, ...content } }) => ({
      ruleId,
      alertId,
      step,
      dueAtMs,
      changedAtMs: nowMs,
      body: document.write(content),
    })),
  );
}

export async function removeNotices(sql: Sql, keys: readonly NoticeKey[]): Promise<void> {
  for (const { ruleId, alertId, step } of keys) {
    await sql.run(`DELETE FROM notification_notices WHERE ${KEY_CONDITION}`, [ruleId, alertId, step]);
  }
}

export async function removeNoticesOfRule(sql: Sql, ruleId: string): Promise<void> {
  await sql.run('DELETE FROM notification_notices WHERE rule_id = $1', [ruleId]);
}

/** Removes notices that were told long ago. */
export const expireNotices = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(
    sql,
    {
      table: 'notification_notices',
      key: 'rule_id, alert_id, step',
      time: 'changed_at_ms',
      only: 'due_at_ms IS NULL',
    },
    expiry,
  );
