import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import { type Readers, testMessage } from '@granary/core/notifications/message';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import {
  allTargets,
  RULE_DOCUMENT,
  type RuleContent,
  ruleRecord,
  type StoredRule,
} from '@granary/core/notifications/rule';
import { quoted } from '@granary/core/words';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, type Effect, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import type { SetAside } from '../unreadable-row.ts';
import { recordAttempt } from './attempts.ts';
import { composeDue } from './compose.ts';
import { expireNotices, hasDueNotices, removeNoticesOfRule } from './notice-rows.ts';
import {
  cancelNotificationsOfRule,
  claimNotifications,
  expireNotifications,
  hasUnsentNotifications,
  listNotifications,
  type NotificationClaim,
  type NotificationPage,
  renewNotification,
} from './notification-rows.ts';
import { planNotices } from './plan.ts';
import {
  countRules,
  findRule,
  insertRule,
  listRules,
  lockPosition,
  type RulePage,
  removeRule as removeRow,
  saveRule,
} from './rule-rows.ts';
import { checkTargets, type MailAbility } from './targets.ts';
import { failureEvents, isPassedOn, writeNotifications } from './write-notifications.ts';

export interface AdvanceReceipt {
  /** There are more events, or more notices that are due. */
  readonly hasMore: boolean;
  /** Another node was doing it. */
  readonly isBusy: boolean;
  readonly setAside: readonly SetAside[];
}

interface Sender extends Readers {
  readonly nowMs: number;
}

export const reads = {
  findRule: (sql: Sql, ruleId: string) => findKnownRule(sql, ruleId),
  listRules: (sql: Sql, page: RulePage) => listRules(sql, RULE_DOCUMENT, page, () => undefined),
  list: (sql: Sql, page: NotificationPage) => listNotifications(sql, NOTIFICATION_DOCUMENT, page),
  hasDueNotices: (sql: Sql, nowMs: number) => hasDueNotices(sql, nowMs),
  hasUnsent: (sql: Sql, nowMs: number) => hasUnsentNotifications(sql, nowMs),
};

export const writes = {
  createRule,
  replaceRule,
  removeRule,

  /** Sends a message to every target of the rule. */
  async test(
    tx: Transaction,
    { ruleId, canSendMail, ...sender }: Sender & MailAbility & { readonly ruleId: string },
  ): Promise<Committed<StoredNotification[]>> {
    await lockPosition(tx.sql, { isWaiting: true });
    const rule = await findKnownRule(tx.sql, ruleId);
    await checkTargets(tx.sql, rule.content, { canSendMail });
    const context = { rule, step: 0, ...sender };
    const written = await writeNotifications(tx.sql, allTargets(rule.content), testMessage(context), context);
    return committed(
      written,
      { kind: 'notifications_due' },
      ...(await logFailures(tx, written, context.nowMs)),
    );
  },

  /** Reads new events and writes the messages that are due; another node may be doing it, then nothing happens. */
  async advance(tx: Transaction, { nowMs, ...readers }: Sender): Promise<Committed<AdvanceReceipt>> {
    const setAside: SetAside[] = [];
    const position = await lockPosition(tx.sql, { isWaiting: false });
    if (position === undefined) return committed({ hasMore: false, isBusy: true, setAside });
    const onUnreadable = (item: SetAside): void => void setAside.push(item);
    const all = { afterRuleId: null, limit: NOTIFICATION_RULES_MAX };
    const rules = await listRules(tx.sql, RULE_DOCUMENT, all, onUnreadable);
    const hasMoreEvents = await planNotices(tx.sql, { rules, position, nowMs });
    const { written, hasMore } = await composeDue(tx.sql, { rules, ...readers, nowMs }, onUnreadable);
    const effects = await logFailures(tx, written, nowMs);
    return committed({ hasMore: hasMoreEvents || hasMore, isBusy: false, setAside }, ...effects);
  },

  /** Takes notifications that are due; they are due again after the lease unless the attempt is recorded. */
  claim: async (tx: Transaction, claim: NotificationClaim): Promise<Committed<StoredNotification[]>> =>
    committed(await claimNotifications(tx.sql, NOTIFICATION_DOCUMENT, claim)),

  /** The sender still works on it. */
  renew: async (
    tx: Transaction,
    lease: { readonly notificationId: string; readonly fromMs: number; readonly toMs: number },
  ): Promise<Committed<boolean>> => committed(await renewNotification(tx.sql, lease)),

  recordAttempt,

  /** Removes a limited number of old notifications and returns how many. */
  expire: longWrite(async (tx, expiry: Expiry) =>
    committed((await expireNotices(tx.sql, expiry)) + (await expireNotifications(tx.sql, expiry))),
  ),
};

/** The last step of a write; returns its effects. */
async function logFailures(
  tx: Transaction,
  written: readonly StoredNotification[],
  nowMs: number,
): Promise<Effect[]> {
  const events = failureEvents(written, nowMs);
  await logEvents(tx, events);
  return [...eventsLogged(events), ...(isPassedOn(written) ? [{ kind: 'webhooks_changed' } as const] : [])];
}

interface RuleChange extends MailAbility {
  readonly ruleId: string;
  readonly content: RuleContent;
  readonly nowMs: number;
}

async function findKnownRule(sql: Sql, ruleId: string): Promise<StoredRule> {
  const rule = await findRule(sql, RULE_DOCUMENT, ruleId);
  if (rule === undefined) {
    throw new Refusal('notification_rule_not_found', `there is no notification rule ${quoted(ruleId)}`);
  }
  return rule;
}

async function createRule(tx: Transaction, change: RuleChange): Promise<Committed<StoredRule>> {
  const { ruleId, content, nowMs } = change;
  await lockPosition(tx.sql, { isWaiting: true });
  if ((await countRules(tx.sql)) >= NOTIFICATION_RULES_MAX) {
    const message = `there are ${NOTIFICATION_RULES_MAX} notification rules, which is the limit`;
    throw new Refusal('notification_rule_limit_reached', message);
  }
  await checkTargets(tx.sql, content, change);
  const rule: StoredRule = { ruleId, content, createdAtMs: nowMs, updatedAtMs: nowMs };
  await insertRule(tx.sql, RULE_DOCUMENT, rule);
  return await logged(tx, 'notification_rule.created', rule, nowMs);
}

/** What waits is told to the new targets; of a rule that is switched off nothing is told. */
async function replaceRule(tx: Transaction, change: RuleChange): Promise<Committed<StoredRule>> {
  const { ruleId, content, nowMs } = change;
  await lockPosition(tx.sql, { isWaiting: true });
  const before = await findKnownRule(tx.sql, ruleId);
  await checkTargets(tx.sql, content, change);
  const rule: StoredRule = { ...before, content, updatedAtMs: nowMs };
  await saveRule(tx.sql, RULE_DOCUMENT, rule);
  return await logged(tx, 'notification_rule.updated', rule, nowMs);
}

/** Also ends what was not sent yet. */
async function removeRule(
  tx: Transaction,
  { ruleId, nowMs }: { readonly ruleId: string; readonly nowMs: number },
): Promise<Committed<StoredRule>> {
  await lockPosition(tx.sql, { isWaiting: true });
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
