import { type Static, Type } from 'typebox';
import { closed } from '../input/closed.ts';
import { EmailTarget, EscalationStep, NotificationRuleInput } from '../notifications.ts';
import { NewWebhook } from '../webhooks.ts';

/** In a document a webhook is named by its address, because its id is another one in every service. */
const SiteTarget = Type.Union([EmailTarget, closed({ webhook_url: NewWebhook.properties.url })]);
const SiteTargets = Type.Array(SiteTarget, { minItems: 1, maxItems: 20, uniqueItems: true });

const SiteEscalationStep = closed({ ...EscalationStep.properties, targets: SiteTargets });

/** A notification rule; its name identifies it. */
export const SiteNotificationRule = closed({
  ...NotificationRuleInput.properties,
  targets: SiteTargets,
  escalation: Type.Optional(Type.Array(SiteEscalationStep, { maxItems: 10 })),
});

export type SiteTarget = Static<typeof SiteTarget>;
export type SiteNotificationRule = Static<typeof SiteNotificationRule>;
