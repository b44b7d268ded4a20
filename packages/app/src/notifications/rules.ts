import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import {
  RULE_DOCUMENT,
  type RuleContent,
  ruleRecord,
  type StoredRule,
} from '@granary/core/notifications/rule';
import { quoted } from '@granary/core/words';
import type { Sql } from '@granary/store/sql';
import { logEvents } from '@granary/store/tables/events';
import { removeNoticesOfRule } from '@granary/store/tables/notifications/notices';
import { cancelNotificationsOfRule } from '@granary/store/tables/notifications/notifications';
import { lockPosition } from '@granary/store/tables/notifications/position';
import {
  countRules,
  findRule,
  insertRule,
  removeRule as removeRow,
  saveRule,
} from '@granary/store/tables/notifications/rules';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { checkTargets, type MailAbility } from './targets.ts';

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

export async function createRule(sql: Sql, change: RuleChange): Promise<Committed<StoredRule>> {
  const { ruleId, content, nowMs } = change;
  await lockPosition(sql, { isWaiting: true });
  if ((await countRules(sql)) >= NOTIFICATION_RULES_MAX) {
    const message = `there are ${NOTIFICATION_RULES_MAX} notification rules, which is the limit`;
    throw new Refusal('notification_rule_limit_reached', message);
  }
  await checkTargets(sql, content, change);
  const rule: StoredRule = { ruleId, content, createdAtMs: nowMs, updatedAtMs: nowMs };
  await insertRule(sql, RULE_DOCUMENT, rule);
  return await logged(sql, 'notification_rule.created', rule, nowMs);
}

/** What waits is told to the new targets; of a rule that is switched off nothing is told. */
export async function replaceRule(sql: Sql, change: RuleChange): Promise<Committed<StoredRule>> {
  const { ruleId, content, nowMs } = change;
  await lockPosition(sql, { isWaiting: true });
  const before = await findKnownRule(sql, ruleId);
  await checkTargets(sql, content, change);
  const rule: StoredRule = { ...before, content, updatedAtMs: nowMs };
  await saveRule(sql, RULE_DOCUMENT, rule);
  return await logged(sql, 'notification_rule.updated', rule, nowMs);
}

/** Also ends what was not sent yet. */
export async function removeRule(
  sql: Sql,
  { ruleId, nowMs }: { readonly ruleId: string; readonly nowMs: number },
): Promise<Committed<StoredRule>> {
  await lockPosition(sql, { isWaiting: true });
  const rule = await findKnownRule(sql, ruleId);
  await removeRow(sql, ruleId);
  await removeNoticesOfRule(sql, ruleId);
  await cancelNotificationsOfRule(sql, ruleId);
  return await logged(sql, 'notification_rule.removed', rule, nowMs);
}

async function logged(
  sql: Sql,
  type: EventType,
  rule: StoredRule,
  atMs: number,
): Promise<Committed<StoredRule>> {
  const events = [{ type, deviceNo: null, atMs, data: ruleRecord(rule) }];
  await logEvents(sql, events);
  return committed(rule, ...eventsLogged(events));
}
