import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { WEBHOOKS_MAX } from '@granary/contract/webhooks';
import { RULE_DOCUMENT, type StoredRule } from '@granary/core/notifications/rule';
import type { StoredWebhook } from '@granary/core/webhooks/webhook';
import type { Sql } from '@granary/store/sql';
import { lockPosition } from '@granary/store/tables/notifications/position';
import { listRules } from '@granary/store/tables/notifications/rules';
import { listWebhooks, lockWebhook } from '@granary/store/tables/webhooks/webhooks';

interface KnownNotifications {
  readonly webhooks: readonly StoredWebhook[];
  readonly rules: readonly StoredRule[];
}

const NONE: KnownNotifications = { webhooks: [], rules: [] };

/**
 * All webhooks and rules, if the document names any, locked until the transaction ends. They are locked before the devices:
 * every transaction that takes both locks takes them in this order, so that none waits for another in a circle.
 */
export async function lockKnownNotifications(
  sql: Sql,
  { webhooks = [], notification_rules: rules = [] }: SiteDocument,
): Promise<KnownNotifications> {
  if (webhooks.length + rules.length === 0) return NONE;
  await lockPosition(sql, { isWaiting: true });
  const ofRules = { afterRuleId: null, limit: NOTIFICATION_RULES_MAX };
  const known = await listWebhooks(sql, { afterWebhookId: null, limit: WEBHOOKS_MAX });
  const locked: StoredWebhook[] = [];
  for (const { webhookId } of known) {
    const webhook = await lockWebhook(sql, webhookId);
    if (webhook !== undefined) locked.push(webhook);
  }
  return { webhooks: locked, rules: await listRules(sql, RULE_DOCUMENT, ofRules, () => undefined) };
}
