import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import type { NotificationTarget } from '@granary/contract/notifications';
import type { SiteNotificationRule, SiteTarget } from '@granary/contract/site';
import { type RuleContent, ruleContent, type StoredRule } from '../notifications/rule.ts';
import { differences, type Planned } from './differences.ts';

export type PlannedRule = Planned<RuleContent> & {
  /** `null` for a new rule. */
  readonly before: StoredRule | null;
};

/** The addresses of webhooks and their ids. */
export interface WebhookNames {
  readonly idOf: ReadonlyMap<string, string>;
  readonly urlOf: ReadonlyMap<string, string>;
}

/** Targets whose webhook was removed are left out, because nothing can be sent to them. */
export function siteRule(rule: RuleContent, { urlOf }: WebhookNames): SiteNotificationRule {
  const named = (targets: readonly NotificationTarget[]): SiteTarget[] =>
    targets.flatMap((target): SiteTarget[] => {
      if (!('webhook_id' in target)) return [target];
      const url = urlOf.get(target.webhook_id);
      return url === undefined ? [] : [{ webhook_url: url }];
    });
  const { types, facilities, device_ids, severity_min, labels } = rule.match;
  return {
    ...rule,
    match: {
      severity_min,
      ...(types && { types }),
      ...(facilities && { facilities }),
      ...(device_ids && { device_ids }),
      ...(labels && { labels }),
    },
    targets: named(rule.targets),
    escalation: rule.escalation.map((step) => ({ ...step, targets: named(step.targets) })),
  };
}

export function planRule(
  wanted: SiteNotificationRule,
  known: readonly StoredRule[],
  names: WebhookNames,
  canSendMail: boolean,
): PlannedRule {
  const [before = null, ...more] = known;
  if (more.length > 0)
    refuse([{ path: '/name', message: 'several rules have this name; change them one by one' }]);
  const { targets, escalation = [], ...rest } = wanted;
  refuse([
    ...targetFaults('/targets', targets, names, canSendMail),
    ...escalation.flatMap((step, i) =>
      targetFaults(`/escalation/${i}/targets`, step.targets, names, canSendMail),
    ),
  ]);
  const resolved = (list: readonly SiteTarget[]): NotificationTarget[] =>
    list.map((target) =>
      'webhook_url' in target ? { webhook_id: names.idOf.get(target.webhook_url) ?? '' } : target,
    );
  const after = ruleContent({
    ...rest,
    targets: resolved(targets),
    escalation: escalation.map((step) => ({ ...step, targets: resolved(step.targets) })),
  });
  if (before === null) return { before, after, action: 'create', differences: [] };
  const changed = differences(siteRule(before.content, names), siteRule(after, names));
  return { before, after, action: changed.length === 0 ? 'unchanged' : 'update', differences: changed };
}

function targetFaults(
  path: string,
  targets: readonly SiteTarget[],
  { idOf }: WebhookNames,
  canSendMail: boolean,
): ValidationIssue[] {
  return targets.flatMap((target, i): ValidationIssue[] => {
    if ('email' in target) {
      if (canSendMail) return [];
      return [{ path: `${path}/${i}`, message: 'e-mail cannot be sent: GRANARY_SMTP_URL is not set' }];
    }
    if (!('webhook_url' in target) || idOf.has(target.webhook_url)) return [];
    return [
      { path: `${path}/${i}`, message: 'no webhook has this address, neither here nor in the document' },
    ];
  });
}

function refuse(issues: readonly ValidationIssue[]): void {
  const [first] = issues;
  if (first !== undefined) throw new Refusal('apply_refused', first.message, issues);
}
