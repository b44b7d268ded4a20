import type { AppReads } from '@granary/app/app';
import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import type { SiteDocument } from '@granary/contract/site/site-document';
import { WEBHOOKS_MAX } from '@granary/contract/webhooks';
import { siteRule } from '@granary/core/site/site-rule';
import { siteWebhook } from '@granary/core/site/site-webhook';

/** The webhooks and notification rules of a document; a rule without a target that can be named is left out. */
export async function readNotifications(
  app: Pick<AppReads, 'webhooks' | 'notifications'>,
): Promise<Pick<Required<SiteDocument>, 'webhooks' | 'notification_rules'>> {
  const webhooks = await app.webhooks.list({ afterWebhookId: null, limit: WEBHOOKS_MAX });
  const rules = await app.notifications.listRules({ afterRuleId: null, limit: NOTIFICATION_RULES_MAX });
  const urlOf = new Map(webhooks.map(({ webhookId, url }) => [webhookId, url]));
  const named = rules.map(({ content }) => siteRule(content, { urlOf, idOf: new Map() }));
  return {
    webhooks: webhooks.map(siteWebhook),
    notification_rules: named
      .map((rule) => ({
        ...rule,
        escalation: rule.escalation?.filter(({ targets }) => targets.length > 0) ?? [],
      }))
      .filter(({ targets }) => targets.length > 0),
  };
}
