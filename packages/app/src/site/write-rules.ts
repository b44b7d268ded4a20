import { Refusal } from '@granary/contract/errors';
import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import { WEBHOOKS_MAX } from '@granary/contract/webhooks';
import { RULE_DOCUMENT, ruleRecord } from '@granary/core/notifications/rule';
import type { PlannedRule } from '@granary/core/site/site-rule';
import type { PlannedWebhook } from '@granary/core/site/site-webhook';
import { type StoredWebhook, type WebhookContent, webhookEventData } from '@granary/core/webhooks/webhook';
import type { Sql } from '@granary/store/sql';
import type { NewEvent } from '../events/event-rows.ts';
import { countRules, insertRule, saveRule } from '../notifications/rule-rows.ts';
import { countWebhooks, insertWebhook, lockWebhook, saveWebhook } from '../webhooks/webhook-rows.ts';

interface Writing {
  readonly newWebhookIds: Readonly<Record<string, string>>;
  readonly webhookSecrets: Readonly<Record<string, string>>;
  readonly newRuleIds: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** Returns the events, which the caller logs as its last step. */
export async function writeRules(
  sql: Sql,
  planned: readonly PlannedRule[],
  { newRuleIds, nowMs }: Writing,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { before, after: content, action } of planned) {
    if (action === 'unchanged') continue;
    const ruleId = before?.ruleId ?? needed(newRuleIds[content.name]);
    const createdAtMs = before?.createdAtMs ?? nowMs;
    const rule = { ruleId, ownerId: null, content, createdAtMs, updatedAtMs: nowMs };
    await (before === null ? insertRule : saveRule)(sql, RULE_DOCUMENT, rule);
    const type = before === null ? 'notification_rule.created' : 'notification_rule.updated';
    events.push({ type, deviceNo: null, atMs: nowMs, data: ruleRecord(rule) });
  }
  if (events.length > 0) refuseBeyond(await countRules(sql), NOTIFICATION_RULES_MAX, 'notification_rules');
  return events;
}

/** Returns the events, which the caller logs as its last step. */
export async function writeWebhooks(
  sql: Sql,
  planned: readonly PlannedWebhook[],
  { newWebhookIds, webhookSecrets, nowMs }: Writing,
): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { after, action } of planned) {
    if (isStored(after)) {
      if (action !== 'update') continue;
      await saveWebhook(sql, after);
      events.push({ type: 'webhook.updated', deviceNo: null, atMs: nowMs, data: webhookEventData(after) });
      continue;
    }
    const webhookId = needed(newWebhookIds[after.url]);
    const secret = needed(webhookSecrets[after.url]);
    await insertWebhook(sql, { ...after, webhookId, secret, createdAtMs: nowMs });
    const created = await lockWebhook(sql, webhookId);
    if (created === undefined) throw new Error(`webhook ${webhookId} was not inserted`);
    events.push({ type: 'webhook.created', deviceNo: null, atMs: nowMs, data: webhookEventData(created) });
  }
  if (events.length > 0) refuseBeyond(await countWebhooks(sql), WEBHOOKS_MAX, 'webhooks');
  return events;
}

const isStored = (webhook: WebhookContent): webhook is StoredWebhook => 'webhookNo' in webhook;

/** The caller has generated ids and secrets for everything that the document names. */
function needed(value: string | undefined): string {
  if (value === undefined) throw new Error('an id or a secret for an entry of the document is missing');
  return value;
}

function refuseBeyond(count: number, max: number, section: string): void {
  if (count <= max) return;
  const message = `there would be ${count}, and there can be ${max}`;
  throw new Refusal('apply_refused', `the document cannot be applied: ${section}: ${message}`, [
    { path: `/${section}`, message },
  ]);
}
