import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import type { NotificationTarget } from '@granary/contract/notifications';
import type { RuleContent } from '@granary/core/notifications/rule';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { findWebhook } from '../webhooks/webhook-rows.ts';

/** Whether the service can send e-mail; the storage does not know its settings. */
export interface MailAbility {
  readonly canSendMail: boolean;
}

/** Refuses a rule with a target that nothing can be sent to. */
export async function checkTargets(
  sql: Sql,
  { targets, escalation }: RuleContent,
  { canSendMail }: MailAbility,
): Promise<void> {
  const lists = [
    { path: '/targets', targets },
    ...escalation.map((step, i) => ({ path: `/escalation/${i}/targets`, targets: step.targets })),
  ];
  const faults: ValidationIssue[] = [];
  for (const list of lists) {
    for (const [i, target] of list.targets.entries()) {
      const message = await faultOf(sql, target, canSendMail);
      if (message !== null) faults.push({ path: `${list.path}/${i}`, message });
    }
  }
  if (faults.length === 0) return;
  throw new Refusal('notification_target_unusable', faults[0]?.message ?? '', faults);
}

async function faultOf(sql: Sql, target: NotificationTarget, canSendMail: boolean): Promise<string | null> {
  if ('webhook_id' in target) {
    const webhook = await findWebhook(sql, target.webhook_id);
    return webhook === undefined ? `there is no webhook ${quoted(target.webhook_id)}` : null;
  }
  return canSendMail ? null : 'e-mail cannot be sent: GRANARY_SMTP_URL is not set';
}
