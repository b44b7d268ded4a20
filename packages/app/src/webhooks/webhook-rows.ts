import type { StoredWebhook, WebhookContent } from '@granary/core/webhooks/webhook';
import type { Sql } from '@granary/store/sql';

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

type WebhookRow = [
  webhookNo: number,
  webhookId: string,
  url: string,
  description: string | null,
  eventTypes: string | null,
  deviceIds: string | null,
  facilities: string | null,
  severities: string | null,
  enabled: number,
  disabledReason: string | null,
  position: number,
  failingSinceMs: number | null,
  deadReportedAtMs: number | null,
  previousSecretUntilMs: number | null,
  createdAtMs: number,
  updatedAtMs: number,
];

const SELECT_WEBHOOK = `
  SELECT webhook_no, webhook_id, url, description, event_types, device_ids, facilities, severities, enabled,
         disabled_reason, position, failing_since_ms, dead_reported_at_ms, previous_secret_until_ms,
         created_at_ms, updated_at_ms
  FROM webhooks`;

const listOf = (text: string | null) => (text === null ? null : JSON.parse(text));
const listText = (list: readonly string[] | null): string | null =>
  list === null ? null : JSON.stringify(list);

function toWebhook(row: WebhookRow): StoredWebhook {
  const [webhookNo, webhookId, url, description, eventTypes, deviceIds, facilities, severities, ...rest] =
    row;
  const [enabled, disabledReason, position, ...times] = rest;
  const [failingSinceMs, deadReportedAtMs, previousSecretUntilMs, createdAtMs, updatedAtMs] = times;
  return {
    webhookNo,
    webhookId,
    url,
    description,
    enabled: enabled === 1,
    disabledReason,
    position,
    eventTypes: listOf(eventTypes),
    deviceIds: listOf(deviceIds),
    facilities: listOf(facilities),
    severities: listOf(severities),
    failingSinceMs,
    deadReportedAtMs,
    previousSecretUntilMs,
    createdAtMs,
    updatedAtMs,
  };
}

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

/** Only an enabled webhook is sent anything. */
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
  const [row] = await sql.query<[number]>('SELECT COUNT(*) FROM webhooks WHERE removed_at_ms IS NULL');
  return row?.[0] ?? 0;
}

/** The new webhook gets the events that are logged from now on. */
export async function insertWebhook(sql: Sql, webhook: NewStoredWebhook): Promise<void> {
  const { webhookId, url, description, enabled, secret, createdAtMs } = webhook;
  await sql.run(
    `INSERT INTO webhooks (webhook_id, url, description, event_types, device_ids, facilities, severities, enabled,
       secret, created_at_ms, updated_at_ms, position)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, last_sequence FROM event_counter`,
    [
      webhookId,
      url,
      description,
      listText(webhook.eventTypes),
      listText(webhook.deviceIds),
      listText(webhook.facilities),
      listText(webhook.severities),
      enabled ? 1 : 0,
      secret,
      createdAtMs,
    ],
  );
}

export async function saveWebhook(sql: Sql, webhook: StoredWebhook): Promise<void> {
  await sql.run(
    `UPDATE webhooks SET url = $2, description = $3, event_types = $4, device_ids = $5, facilities = $6,
       severities = $7, enabled = $8, disabled_reason = $9, position = $10, failing_since_ms = $11,
       dead_reported_at_ms = $12, updated_at_ms = $13
     WHERE webhook_no = $1`,
    [
      webhook.webhookNo,
      webhook.url,
      webhook.description,
      listText(webhook.eventTypes),
      listText(webhook.deviceIds),
      listText(webhook.facilities),
      listText(webhook.severities),
      webhook.enabled ? 1 : 0,
      webhook.disabledReason,
      webhook.position,
      webhook.failingSinceMs,
      webhook.deadReportedAtMs,
      webhook.updatedAtMs,
    ],
  );
}

/** The row stays, because the number of a removed row could be given to a new one; its secrets are removed. */
export async function markWebhookRemoved(sql: Sql, webhookNo: number, atMs: number): Promise<void> {
  await sql.run(
    `UPDATE webhooks SET enabled = 0, removed_at_ms = $2, secret = '', previous_secret = NULL,
       previous_secret_until_ms = NULL WHERE webhook_no = $1`,
    [webhookNo, atMs],
  );
}

export async function findSecrets(sql: Sql, webhookNo: number): Promise<WebhookSecrets | undefined> {
  const [row] = await sql.query<
    [secret: string, previousSecret: string | null, previousSecretUntilMs: number | null]
  >('SELECT secret, previous_secret, previous_secret_until_ms FROM webhooks WHERE webhook_no = $1', [
    webhookNo,
  ]);
  if (row === undefined) return undefined;
  const [secret, previousSecret, previousSecretUntilMs] = row;
  return { secret, previousSecret, previousSecretUntilMs };
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

/** Writes nothing, and locks nothing, if the webhook was not failing. */
export async function endFailing(sql: Sql, webhookNo: number): Promise<void> {
  await sql.run(
    'UPDATE webhooks SET failing_since_ms = NULL WHERE webhook_no = $1 AND failing_since_ms IS NOT NULL',
    [webhookNo],
  );
}

/** The different positions of the enabled webhooks that have not considered the newest event. */
export async function positionsBehind(sql: Sql): Promise<number[]> {
  const rows = await sql.query<[position: number]>(
    `SELECT DISTINCT position FROM webhooks
     WHERE enabled = 1 AND position < (SELECT last_sequence FROM event_counter) ORDER BY position`,
  );
  return rows.map(([position]) => position);
}

/** Locks some webhooks of one position; those that another node has locked are skipped. */
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
