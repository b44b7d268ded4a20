import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { NOTIFICATION_RULES_MAX, type NotificationTarget } from '@granary/contract/notifications';
import {
  RULE_DOCUMENT,
  type RuleContent,
  ruleRecord,
  type StoredRule,
} from '@granary/core/notifications/rule';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { findCaller } from '../keys/key-rows.ts';
import { refuseLimited } from '../rights.ts';
import type { Transaction } from '../transaction.ts';
import { findWebhook } from '../webhooks/webhook-rows.ts';
import { removeNoticesOfRule } from './notice-rows.ts';
import { cancelNotificationsOfRule } from './notification-rows.ts';
import {
  countRules,
  findOwnRule,
  findRule,
  insertRule,
  lockPosition,
  removeRule as removeRow,
  saveRule,
} from './rule-rows.ts';

/** The caller tells whether the service can send e-mail, because the storage does not know the settings of the service. */
export interface MailAbility {
  readonly canSendMail: boolean;
}

/** Refuses a rule with a target that nothing can be sent to. */
export async function checkTargets(
  sql: Sql,
  { targets, escalation, rota }: RuleContent,
  { canSendMail }: MailAbility,
): Promise<void> {
  const lists = [
    { path: '/targets', targets },
    ...escalation.map((step, i) => ({ path: `/escalation/${i}/targets`, targets: step.targets })),
    { path: '/rota/people', targets: (rota?.people ?? []).map((person_id) => ({ person_id })) },
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
  if ('person_id' in target) {
    const person = await findCaller(sql, target.person_id);
    return person?.kind === 'person' ? null : `there is no person ${quoted(target.person_id)}`;
  }
  return canSendMail ? null : 'e-mail cannot be sent: GRANARY_SMTP_URL is not set';
}

export async function saveOwnRule(
  sql: Sql,
  ownerId: string,
  content: RuleContent,
  nowMs: number,
): Promise<void> {
  const before = await findOwnRule(sql, RULE_DOCUMENT, ownerId);
  const rule = {
    ruleId: ownerId,
    ownerId,
    content,
    createdAtMs: before?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
  };
  await (before === undefined ? insertRule : saveRule)(sql, RULE_DOCUMENT, rule);
}

interface RuleChange extends MailAbility {
  readonly ruleId: string;
  readonly content: RuleContent;
  readonly nowMs: number;
}

export async function findKnownRule(sql: Sql, ruleId: string): Promise<StoredRule> {
  const rule = await findRule(sql, RULE_DOCUMENT, ruleId);
  if (rule === undefined) {
    throw new Refusal('notification_rule_not_found', `there is no notification rule ${quoted(ruleId)}`);
  }
  return rule;
}

export async function createRule(tx: Transaction, change: RuleChange): Promise<Committed<StoredRule>> {
  const { ruleId, content, nowMs } = change;
  await lockPosition(tx.sql);
  await refuseLimited(tx, 'manage notifications');
  if ((await countRules(tx.sql)) >= NOTIFICATION_RULES_MAX) {
    const message = `there are ${NOTIFICATION_RULES_MAX} notification rules, which is the limit`;
    throw new Refusal('notification_rule_limit_reached', message);
  }
  await checkTargets(tx.sql, content, change);
  const rule: StoredRule = { ruleId, ownerId: null, content, createdAtMs: nowMs, updatedAtMs: nowMs };
  await insertRule(tx.sql, RULE_DOCUMENT, rule);
  return await logged(tx, 'notification_rule.created', rule, nowMs);
}

/** Notices that wait are told to the new targets; notices of a disabled rule are not told. */
export async function replaceRule(tx: Transaction, change: RuleChange): Promise<Committed<StoredRule>> {
  const { ruleId, content, nowMs } = change;
  await lockPosition(tx.sql);
  await refuseLimited(tx, 'manage notifications');
  const before = await findKnownRule(tx.sql, ruleId);
  await checkTargets(tx.sql, content, change);
  const rule: StoredRule = { ...before, content, updatedAtMs: nowMs };
  await saveRule(tx.sql, RULE_DOCUMENT, rule);
  return await logged(tx, 'notification_rule.updated', rule, nowMs);
}

/** Removes the rule and cancels its messages that were not sent yet. */
export async function removeRule(
  tx: Transaction,
  { ruleId, nowMs }: { readonly ruleId: string; readonly nowMs: number },
): Promise<Committed<StoredRule>> {
  await lockPosition(tx.sql);
  await refuseLimited(tx, 'manage notifications');
  const rule = await findKnownRule(tx.sql, ruleId);
  await removeRow(tx.sql, ruleId);
  await removeNoticesOfRule(tx.sql, ruleId);
  await cancelNotificationsOfRule(tx.sql, ruleId);
  return await logged(tx, 'notification_rule.removed', rule, nowMs);
}

async function logged(
  tx: Transaction,
  type: EventType,
  rule: StoredRule,
  atMs: number,
): Promise<Committed<StoredRule>> {
  const events = [{ type, deviceNo: null, atMs, data: ruleRecord(rule) }];
  await logEvents(tx, events);
  return committed(rule, ...eventsLogged(events));
}
