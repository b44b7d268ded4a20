import type { NotificationStatus } from '@granary/contract/notifications';
import type { DocumentKind } from '@granary/core/documents';
import {
  type Channel,
  KINDS_OF,
  type NotificationContent,
  type StoredNotification,
  type Urgency,
} from '@granary/core/notifications/record';
import { type Expiry, expireRows } from '@granary/store/expiry';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql, Value } from '@granary/store/sql';

export interface NotificationPage {
  readonly status: NotificationStatus | null;
  readonly ruleId: string | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface NotificationClaim {
  readonly channel: Channel;
  readonly urgency: Urgency;
  readonly nowMs: number;
  /** The notification is due again at this time, in case this node does not finish its attempt. */
  readonly leasedUntilMs: number;
  readonly limit: number;
  /** The rules of which no more messages may be sent at present. */
  readonly withoutRules: readonly string[];
}

type NotificationDocument = DocumentKind<NotificationContent>;
interface NotificationRow extends Omit<StoredNotification, 'content'> {
  readonly body: string;
}

const COLUMNS =
  'notification_id, rule_id, step, channel, kind, status, created_at_ms, attempts, next_attempt_at_ms, sent_at_ms, last_error, body';

function toNotification(
  document: NotificationDocument,
  { body, ...fields }: NotificationRow,
): StoredNotification {
  return { ...fields, content: document.read(body) };
}

export async function insertNotifications(
  sql: Sql,
  document: NotificationDocument,
  notifications: readonly StoredNotification[],
): Promise<void> {
  await insertRows(
    sql,
    { table: 'notifications' },
    notifications.map((one) => ({
      notificationId: one.notificationId,
      ruleId: one.ruleId,
      step: one.step,
      channel: one.channel,
      kind: one.kind,
      status: one.status,
      createdAtMs: one.createdAtMs,
      attempts: one.attempts,
      nextAttemptAtMs: one.nextAttemptAtMs,
      sentAtMs: one.sentAtMs,
      lastError: one.lastError,
      body: document.write(one.content),
    })),
  );
}

/** Lists the notifications, newest first. */
export async function listNotifications(
  sql: Sql,
  document: NotificationDocument,
  { status, ruleId, beforeId, limit }: NotificationPage,
): Promise<StoredNotification[]> {
  const params: Value[] = [limit];
  const conditions = ['1 = 1'];
  const add = (column: string, value: Value): void => {
    conditions.push(`${column} = $${params.push(value)}`);
  };
  if (status !== null) add('status', status);
  if (ruleId !== null) add('rule_id', ruleId);
  if (beforeId !== null) {
    const before = `(SELECT notification_no FROM notifications WHERE notification_id = $${params.push(beforeId)})`;
    conditions.push(`notification_no < ${before}`);
  }
  const rows = await sql.query<NotificationRow>(
    `SELECT ${COLUMNS} FROM notifications WHERE ${conditions.join(' AND ')} ORDER BY notification_no DESC LIMIT $1`,
    params,
  );
  return rows.map((row) => toNotification(document, row));
}

/** Takes the notifications that are due, new ones before those that have failed, and counts the attempt. */
export async function claimNotifications(
  sql: Sql,
  document: NotificationDocument,
  { channel, urgency, nowMs, leasedUntilMs, limit, withoutRules }: NotificationClaim,
): Promise<StoredNotification[]> {
  const due = await sql.query<{ notificationNo: number }>(
    `SELECT notification_no FROM notifications WHERE status = 'pending' AND channel = $3
       AND ${sql.isOneOf('kind', '$4')} AND next_attempt_at_ms <= $1
       AND NOT ${sql.isOneOf('rule_id', '$5')}
     ORDER BY attempts, notification_no LIMIT $2 ${sql.forUpdate} ${sql.skipLocked}`,
    [nowMs, limit, channel, JSON.stringify(KINDS_OF[urgency]), JSON.stringify(withoutRules)],
  );
  if (due.length === 0) return [];
  const rows = await sql.query<NotificationRow>(
    `UPDATE notifications SET attempts = attempts + 1, next_attempt_at_ms = $2
     WHERE ${sql.isOneOfNumbers('notification_no', '$1')} RETURNING ${COLUMNS}`,
    [JSON.stringify(due.map(({ notificationNo }) => notificationNo)), leasedUntilMs],
  );
  return rows.map((row) => toNotification(document, row));
}

/** Extends a lease that still ends at `fromMs`; returns whether it was extended. */
export async function renewNotification(
  sql: Sql,
  { notificationId, fromMs, toMs }: { notificationId: string; fromMs: number; toMs: number },
): Promise<boolean> {
  const renewed = await sql.run(
    `UPDATE notifications SET next_attempt_at_ms = $3
     WHERE notification_id = $1 AND next_attempt_at_ms = $2 AND status = 'pending'`,
    [notificationId, fromMs, toMs],
  );
  return renewed === 1;
}

/** Locks the notification; returns `undefined` if it is no longer pending. */
export async function lockPendingNotification(
  sql: Sql,
  document: NotificationDocument,
  notificationId: string,
): Promise<StoredNotification | undefined> {
  const [row] = await sql.query<NotificationRow>(
    `SELECT ${COLUMNS} FROM notifications WHERE notification_id = $1 AND status = 'pending' ${sql.forUpdate}`,
    [notificationId],
  );
  return row && toNotification(document, row);
}

export async function saveAttempt(sql: Sql, after: Omit<StoredNotification, 'content'>): Promise<void> {
  const { notificationId, status, nextAttemptAtMs, sentAtMs, lastError } = after;
  await updateRows(
    sql,
    'notifications',
    { notificationId },
    { status, nextAttemptAtMs, sentAtMs, lastError },
  );
}

export async function cancelNotificationsOfRule(sql: Sql, ruleId: string): Promise<void> {
  await sql.run(
    `UPDATE notifications SET status = 'cancelled', next_attempt_at_ms = NULL WHERE rule_id = $1 AND status = 'pending'`,
    [ruleId],
  );
}

export const expireNotifications = (sql: Sql, expiry: Expiry): Promise<number> =>
  expireRows(
    sql,
    { table: 'notifications', key: 'notification_no', time: 'created_at_ms', only: "status <> 'pending'" },
    expiry,
  );

export async function hasUnsentNotifications(
  sql: Sql,
  { channel, urgency, nowMs }: Pick<NotificationClaim, 'channel' | 'urgency' | 'nowMs'>,
): Promise<boolean> {
  const rows = await sql.query(
    `SELECT 1 AS found FROM notifications WHERE status = 'pending' AND channel = $1
       AND ${sql.isOneOf('kind', '$3')} AND next_attempt_at_ms <= $2 LIMIT 1`,
    [channel, nowMs, JSON.stringify(KINDS_OF[urgency])],
  );
  return rows.length > 0;
}

/**
 * Counts the reports and tests that were asked for under one id since a time. Two of the same millisecond cannot be told apart,
 * so a report or test of the present millisecond counts as one that waits.
 */
export async function countAsked(
  sql: Sql,
  { ruleId, sinceMs, nowMs }: { readonly ruleId: string; readonly sinceMs: number; readonly nowMs: number },
): Promise<{ readonly asked: number; readonly waiting: number }> {
  const [row] = await sql.query<{ asked: number; waiting: number }>(
    `SELECT COUNT(DISTINCT created_at_ms) AS asked,
       COUNT(CASE WHEN created_at_ms = $3 OR (status = 'pending' AND attempts = 0) THEN 1 END) AS waiting
     FROM notifications WHERE rule_id = $1 AND kind IN ('report', 'test') AND created_at_ms > $2`,
    [ruleId, sinceMs, nowMs],
  );
  return row ?? { asked: 0, waiting: 0 };
}
