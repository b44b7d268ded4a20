import type { DeliveryStatus } from '@granary/contract/webhooks';
import type { DeliveryAfterAttempt } from '@granary/core/webhooks/attempts';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';

/** A message for a webhook: an event of the log, or a body of its own. */
export interface NewDelivery {
  readonly webhookNo: number;
  readonly messageId: string;
  readonly type: string;
  readonly sequence: number | null;
  readonly body: string | null;
  readonly createdAtMs: number;
}

export interface StoredDelivery extends NewDelivery {
  readonly deliveryNo: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly nextAttemptAtMs: number;
  readonly finishedAtMs: number | null;
}

interface DeadDeliveries {
  readonly webhookNo: number;
  readonly exceptType: string;
  readonly nowMs: number;
  readonly limit: number;
}

export interface DeliveryPage {
  readonly webhookNo: number;
  readonly status: DeliveryStatus | null;
  readonly beforeDeliveryNo: number | null;
  readonly limit: number;
}

const SELECT_DELIVERY = `
  SELECT delivery_no, webhook_no, message_id, type, sequence, body, status, attempts, last_status, last_error,
         next_attempt_at_ms, created_at_ms, finished_at_ms
  FROM webhook_deliveries`;

const newRow = ({ webhookNo, messageId, type, sequence, body, createdAtMs }: NewDelivery) => ({
  webhookNo,
  messageId,
  type,
  sequence,
  body,
  status: 'pending',
  isRetry: 0,
  attempts: 0,
  nextAttemptAtMs: createdAtMs,
  leasedUntilMs: 0,
  createdAtMs,
});

/** Stores deliveries. A message that the webhook has had before becomes pending again, as in a replay. */
export async function insertOrRepeatDeliveries(sql: Sql, deliveries: readonly NewDelivery[]): Promise<void> {
  const onConflict = `ON CONFLICT (webhook_no, message_id) DO UPDATE SET
      status = 'pending', is_retry = 0, attempts = 0, leased_until_ms = 0,
      next_attempt_at_ms = excluded.next_attempt_at_ms, created_at_ms = excluded.created_at_ms, finished_at_ms = NULL
      WHERE webhook_deliveries.status <> 'pending'`;
  await insertRows(sql, { table: 'webhook_deliveries', onConflict }, deliveries.map(newRow));
}

/** Returns whether the webhook has not had this message before. */
export async function insertDelivery(sql: Sql, delivery: NewDelivery): Promise<boolean> {
  const onConflict = 'ON CONFLICT (webhook_no, message_id) DO NOTHING';
  const target = { table: 'webhook_deliveries', onConflict };
  return (await insertRows(sql, target, [newRow(delivery)])) === 1;
}

export async function findDelivery(
  sql: Sql,
  webhookNo: number,
  messageId: string,
): Promise<StoredDelivery | undefined> {
  const [row] = await sql.query<StoredDelivery>(
    `${SELECT_DELIVERY} WHERE webhook_no = $1 AND message_id = $2`,
    [webhookNo, messageId],
  );
  return row;
}

/** Lists the deliveries, newest first. */
export async function listDeliveries(
  sql: Sql,
  { webhookNo, status, beforeDeliveryNo, limit }: DeliveryPage,
): Promise<StoredDelivery[]> {
  const ofStatus = status === null ? '' : 'AND status = $4';
  return await sql.query<StoredDelivery>(
    `${SELECT_DELIVERY} WHERE webhook_no = $1 AND delivery_no < $2 ${ofStatus}
     ORDER BY delivery_no DESC LIMIT $3`,
    [webhookNo, beforeDeliveryNo ?? Number.MAX_SAFE_INTEGER, limit, ...(status === null ? [] : [status])],
  );
}

/** Counts no further than the limit, because the caller only asks whether it is reached. */
export async function hasPendingDeliveries(sql: Sql, webhookNo: number, limit: number): Promise<boolean> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT COUNT(*) AS count FROM (
       SELECT 1 FROM webhook_deliveries WHERE webhook_no = $1 AND status = 'pending' LIMIT $2
     ) AS counted`,
    [webhookNo, limit],
  );
  return row?.count === limit;
}

const IS_DUE = `status = 'pending' AND next_attempt_at_ms <= $1 AND leased_until_ms <= $1`;

/** The enabled webhooks that have something to send now. */
export async function dueWebhookNos(sql: Sql, nowMs: number): Promise<number[]> {
  const due = (isRetry: 0 | 1) =>
    `EXISTS (SELECT 1 FROM webhook_deliveries
       WHERE webhook_deliveries.webhook_no = webhooks.webhook_no AND is_retry = ${isRetry} AND ${IS_DUE})`;
  const rows = await sql.query<{ webhookNo: number }>(
    `SELECT webhook_no FROM webhooks WHERE enabled = 1 AND (${due(0)} OR ${due(1)}) ORDER BY webhook_no`,
    [nowMs],
  );
  return rows.map(({ webhookNo }) => webhookNo);
}

/** Locks due deliveries: first attempts, or repeated ones with `isRetry`. Deliveries that another node has locked are skipped. */
export async function lockDueDeliveries(
  sql: Sql,
  { webhookNo, isRetry, nowMs, limit }: { webhookNo: number; isRetry: boolean; nowMs: number; limit: number },
): Promise<StoredDelivery[]> {
  return await sql.query<StoredDelivery>(
    `${SELECT_DELIVERY} WHERE webhook_no = $2 AND is_retry = $3 AND ${IS_DUE}
     ORDER BY next_attempt_at_ms, delivery_no LIMIT $4 ${sql.forUpdate} ${sql.skipLocked}`,
    [nowMs, webhookNo, isRetry ? 1 : 0, limit],
  );
}

/** Takes a lease, so that nobody else sends these deliveries before its end. */
export async function leaseDeliveries(
  sql: Sql,
  deliveryNos: readonly number[],
  leasedUntilMs: number,
): Promise<void> {
  await sql.run(
    `UPDATE webhook_deliveries SET leased_until_ms = $2 WHERE ${sql.isOneOfNumbers('delivery_no', '$1')}`,
    [JSON.stringify(deliveryNos), leasedUntilMs],
  );
}

/** Extends a lease that still ends at `fromMs`; returns whether it was extended. */
export async function renewDelivery(
  sql: Sql,
  { deliveryNo, fromMs, toMs }: { deliveryNo: number; fromMs: number; toMs: number },
): Promise<boolean> {
  const renewed = await sql.run(
    `UPDATE webhook_deliveries SET leased_until_ms = $3
     WHERE delivery_no = $1 AND leased_until_ms = $2 AND status = 'pending'`,
    [deliveryNo, fromMs, toMs],
  );
  return renewed === 1;
}

/** Locks a pending delivery until the end of the transaction. */
export async function lockPendingDelivery(sql: Sql, deliveryNo: number): Promise<StoredDelivery | undefined> {
  const [row] = await sql.query<StoredDelivery>(
    `${SELECT_DELIVERY} WHERE delivery_no = $1 AND status = 'pending' ${sql.forUpdate}`,
    [deliveryNo],
  );
  return row;
}

export async function saveAttempt(
  sql: Sql,
  deliveryNo: number,
  after: DeliveryAfterAttempt,
  nowMs: number,
): Promise<void> {
  const { status, attempts, nextAttemptAtMs, lastStatus, lastError } = after;
  await updateRows(
    sql,
    'webhook_deliveries',
    { deliveryNo },
    {
      status,
      attempts,
      isRetry: 1,
      lastStatus,
      lastError,
      finishedAtMs: status === 'pending' ? null : nowMs,
      leasedUntilMs: 0,
      // A finished delivery keeps the time of its last attempt.
      ...(nextAttemptAtMs === null ? {} : { nextAttemptAtMs }),
    },
  );
}

/** Makes a limited number of dead deliveries pending again, oldest first, except those of one type; returns how many. */
export async function repeatDeadDeliveries(
  sql: Sql,
  { webhookNo, exceptType, nowMs, limit }: DeadDeliveries,
): Promise<number> {
  return await sql.run(
    `UPDATE webhook_deliveries
     SET status = 'pending', is_retry = 0, attempts = 0, next_attempt_at_ms = $2, leased_until_ms = 0,
       finished_at_ms = NULL
     WHERE delivery_no IN (
       SELECT delivery_no FROM webhook_deliveries WHERE webhook_no = $1 AND status = 'dead' AND type <> $4
       ORDER BY delivery_no LIMIT $3 ${sql.forUpdate})`,
    [webhookNo, nowMs, limit, exceptType],
  );
}

/** Makes the pending deliveries due now. */
export async function makePendingDue(sql: Sql, webhookNo: number, nowMs: number): Promise<void> {
  await sql.run(
    `UPDATE webhook_deliveries SET next_attempt_at_ms = $2
     WHERE webhook_no = $1 AND status = 'pending' AND next_attempt_at_ms > $2`,
    [webhookNo, nowMs],
  );
}

/** Removes a limited number of finished deliveries, and of those of removed webhooks, and returns how many. */
export async function expireDeliveries(
  sql: Sql,
  { deliveredBeforeMs, deadBeforeMs, rowsMax }: DeliveryExpiry,
): Promise<number> {
  const remove = async (condition: string, beforeMs: number | null) =>
    await sql.run(
      `DELETE FROM webhook_deliveries WHERE delivery_no IN (
         SELECT delivery_no FROM webhook_deliveries WHERE ${condition}
         LIMIT $1 ${sql.forUpdate} ${sql.skipLocked})`,
      beforeMs === null ? [rowsMax] : [rowsMax, beforeMs],
    );
  const delivered = await remove(`status = 'delivered' AND finished_at_ms < $2`, deliveredBeforeMs);
  const dead = await remove(`status = 'dead' AND finished_at_ms < $2`, deadBeforeMs);
  const removed = `webhook_no IN (SELECT webhook_no FROM webhooks WHERE removed_at_ms IS NOT NULL)`;
  return delivered + dead + (await remove(removed, null));
}

export interface DeliveryExpiry {
  readonly deliveredBeforeMs: number;
  readonly deadBeforeMs: number;
  readonly rowsMax: number;
}
