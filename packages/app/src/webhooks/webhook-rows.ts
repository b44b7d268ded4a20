import type { StoredWebhook, WebhookContent } from '@granary/core/webhooks/webhook';
import { insertRows, updateRows } from '@granary/store/rows';
import type { Sql } from '@granary/store/sql';
import { lastSequence } from '../events/event-rows.ts';

export interface NewStoredWebhook extends WebhookContent {
  readonly webhookId: string;
  readonly secret: string;
  readonly createdAtMs: number;
}

export interface WebhookSecrets {
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousSecretUntilMs: number | null;
}

export interface WebhookPage {
  readonly afterWebhookId: string | null;
  readonly limit: number;
}

type ListField = 'eventTypes' | 'deviceIds' | 'facilities' | 'severities';

interface WebhookRow extends Omit<StoredWebhook, ListField | 'enabled'>, Record<ListField, string | null> {
  readonly enabled: number;
}

const SELECT_WEBHOOK = `
  SELECT webhook_no, webhook_id, url, description, event_types, device_ids, facilities, severities, enabled,
         disabled_reason, position, failing_since_ms, dead_reported_at_ms, previous_secret_until_ms,
         created_at_ms, updated_at_ms
  FROM webhooks`;

const listOf = (text: string | null) => (text === null ? null : JSON.parse(text));
const listText = (list: readonly string[] | null): string | null =>
  list === null ? null : JSON.stringify(list);

const toWebhook = ({
  enabled,
  eventTypes,
  deviceIds,
  facilities,
  severities,
  ...fields
}: WebhookRow): StoredWebhook => ({
  ...fields,
  enabled: enabled === 1,
  eventTypes: listOf(eventTypes),
  deviceIds: listOf(deviceIds),
  facilities: listOf(facilities),
  severities: listOf(severities),
});

/** The columns of a webhook with values from its caller. */
const contentColumns = ({ url, description, enabled, ...lists }: WebhookContent) => ({
  url,
  description,
  enabled: Number(enabled),
  eventTypes: listText(lists.eventTypes),
  deviceIds: listText(lists.deviceIds),
  facilities: listText(lists.facilities),
  severities: listText(lists.severities),
});

export async function findWebhook(sql: Sql, webhookId: string): Promise<StoredWebhook | undefined> {
  const [row] = await sql.query<WebhookRow>(
    `${SELECT_WEBHOOK} WHERE webhook_id = $1 AND removed_at_ms IS NULL`,
    [webhookId],
  );
  return row && toWebhook(row);
}

/** Locks the webhook until the end of the transaction. */
export async function lockWebhook(sql: Sql, webhookId: string): Promise<StoredWebhook | undefined> {
  const [row] = await sql.query<WebhookRow>(
    `${SELECT_WEBHOOK} WHERE webhook_id = $1 AND removed_at_ms IS NULL ${sql.forUpdate}`,
    [webhookId],
  );
  return row && toWebhook(row);
}

export async function lockWebhookNumbered(sql: Sql, webhookNo: number): Promise<StoredWebhook | undefined> {
  const [row] = await sql.query<WebhookRow>(
    `${SELECT_WEBHOOK} WHERE webhook_no = $1 AND removed_at_ms IS NULL ${sql.forUpdate}`,
    [webhookNo],
  );
  return row && toWebhook(row);
}

/** Finds the webhook if it is enabled; only an enabled webhook is sent anything. */
export async function findEnabledWebhook(sql: Sql, webhookNo: number): Promise<StoredWebhook | undefined> {
  const [row] = await sql.query<WebhookRow>(`${SELECT_WEBHOOK} WHERE webhook_no = $1 AND enabled = 1`, [
    webhookNo,
  ]);
  return row && toWebhook(row);
}

export async function listWebhooks(
  sql: Sql,
  { afterWebhookId, limit }: WebhookPage,
): Promise<StoredWebhook[]> {
  const rows = await sql.query<WebhookRow>(
    `${SELECT_WEBHOOK} WHERE webhook_id > $1 AND removed_at_ms IS NULL ORDER BY webhook_id LIMIT $2`,
    [afterWebhookId ?? '', limit],
  );
  return rows.map(toWebhook);
}

export async function countWebhooks(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT COUNT(*) AS count FROM webhooks WHERE removed_at_ms IS NULL',
  );
  return row?.count ?? 0;
}

/** Inserts a webhook, which gets the events that are logged from now on. */
export async function insertWebhook(sql: Sql, webhook: NewStoredWebhook): Promise<void> {
  const { webhookId, secret, createdAtMs } = webhook;
  const position = await lastSequence(sql);
  await insertRows(sql, { table: 'webhooks' }, [
    { webhookId, secret, createdAtMs, updatedAtMs: createdAtMs, position, ...contentColumns(webhook) },
  ]);
}

export async function saveWebhook(sql: Sql, webhook: StoredWebhook): Promise<void> {
  const { webhookNo, disabledReason, position, failingSinceMs, deadReportedAtMs, updatedAtMs } = webhook;
  await updateRows(
    sql,
    'webhooks',
    { webhookNo },
    {
      ...contentColumns(webhook),
      disabledReason,
      position,
      failingSinceMs,
      deadReportedAtMs,
      updatedAtMs,
    },
  );
}

/**
 * Marks the webhook as removed. The row stays, because the number of a removed row could be given to a new one; its secrets are
 * removed.
 */
export async function markWebhookRemoved(sql: Sql, webhookNo: number, atMs: number): Promise<void> {
  await sql.run(
    `UPDATE webhooks SET enabled = 0, removed_at_ms = $2, secret = '', previous_secret = NULL,
       previous_secret_until_ms = NULL WHERE webhook_no = $1`,
    [webhookNo, atMs],
  );
}

export async function findSecrets(sql: Sql, webhookNo: number): Promise<WebhookSecrets | undefined> {
  const [row] = await sql.query<WebhookSecrets>(
    'SELECT secret, previous_secret, previous_secret_until_ms FROM webhooks WHERE webhook_no = $1',
    [webhookNo],
  );
  return row;
}

export async function replaceSecret(
  sql: Sql,
  webhookNo: number,
  secret: string,
  { previousUntilMs, nowMs }: { readonly previousUntilMs: number; readonly nowMs: number },
): Promise<void> {
  await sql.run(
    `UPDATE webhooks SET previous_secret = secret, previous_secret_until_ms = $3, secret = $2, updated_at_ms = $4
     WHERE webhook_no = $1`,
    [webhookNo, secret, previousUntilMs, nowMs],
  );
}

/** Ends the failing state. If the webhook was not failing, nothing is written or locked. */
export async function endFailing(sql: Sql, webhookNo: number): Promise<void> {
  await sql.run(
    'UPDATE webhooks SET failing_since_ms = NULL WHERE webhook_no = $1 AND failing_since_ms IS NOT NULL',
    [webhookNo],
  );
}

/** Returns the different positions of the enabled webhooks that have not yet handled the newest event. */
export async function positionsBehind(sql: Sql): Promise<number[]> {
  const rows = await sql.query<{ position: number }>(
    `SELECT DISTINCT position FROM webhooks
     WHERE enabled = 1 AND position < (SELECT last_sequence FROM event_counter) ORDER BY position`,
  );
  return rows.map(({ position }) => position);
}

/** Locks some webhooks at one position; those that another node has locked are skipped. */
export async function lockWebhooksAt(
  sql: Sql,
  { position, limit }: { readonly position: number; readonly limit: number },
): Promise<StoredWebhook[]> {
  const rows = await sql.query<WebhookRow>(
    `${SELECT_WEBHOOK} WHERE enabled = 1 AND position = $1
     ORDER BY webhook_no LIMIT $2 ${sql.forUpdate} ${sql.skipLocked}`,
    [position, limit],
  );
  return rows.map(toWebhook);
}

export async function savePosition(sql: Sql, webhookNo: number, position: number): Promise<void> {
  await sql.run('UPDATE webhooks SET position = $2 WHERE webhook_no = $1', [webhookNo, position]);
}
