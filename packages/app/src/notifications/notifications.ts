import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import type { PushSettings } from '@granary/contract/push';
import { isValidAt, limitsWith } from '@granary/core/keys';
import { type Readers, testMessage } from '@granary/core/notifications/message';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import {
  allTargets,
  FIRST_PUSH_SETTINGS,
  pushRule,
  pushSettings,
  RULE_DOCUMENT,
  type RuleContent,
} from '@granary/core/notifications/rule';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { type Committed, committed, type Effect, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { refuseLimited, requireOwn } from '../rights.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import type { SetAside } from '../unreadable-row.ts';
import { refuseMany } from './asked-messages.ts';
import { recordAttempt } from './attempts.ts';
import { composeDue } from './compose.ts';
import { expireNotices, hasDueNotices } from './notice-rows.ts';
import {
  claimNotifications,
  expireNotifications,
  hasUnsentNotifications,
  listNotifications,
  type NotificationClaim,
  type NotificationPage,
  renewNotification,
} from './notification-rows.ts';
import { planNotices } from './plan-notices.ts';
import {
  findDestination,
  findPushKeys,
  insertPushKeys,
  type PushKeys,
  pushedCallers,
  removeSubscription,
  type StoredSubscription,
  saveSubscription,
  subscriptionsOf,
} from './push-rows.ts';
import { findOwnRule, listOwnRules, listRules, lockPosition, type RulePage } from './rule-rows.ts';
import {
  checkTargets,
  createRule,
  findKnownRule,
  type MailAbility,
  removeRule,
  replaceRule,
  saveOwnRule,
} from './rules.ts';
import { failureEvents, isPassedOn, writeNotifications } from './write-notifications.ts';

export interface AdvanceReceipt {
  /** True if there are more events, or more notices that are due. */
  readonly hasMore: boolean;
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
  hasUnsent: (sql: Sql, due: Omit<NotificationClaim, 'leasedUntilMs' | 'limit' | 'withoutRules'>) =>
    hasUnsentNotifications(sql, due),
  pushKeys: (sql: Sql) => findPushKeys(sql),
  pushDestination: (sql: Sql, subscriptionId: string) => findDestination(sql, subscriptionId),
  subscriptions: (sql: Sql, keyId: string) => subscriptionsOf(sql, keyId),
  async pushSettings(sql: Sql, keyId: string): Promise<PushSettings> {
    const own = await findOwnRule(sql, RULE_DOCUMENT, keyId);
    return own === undefined ? FIRST_PUSH_SETTINGS : pushSettings(own.content);
  },
};

export const expiry = keptFor('alertRetentionDays');

export const writes = {
  createRule,
  replaceRule,
  removeRule,

  /** Sends a message to every target of the rule. */
  async test(
    tx: Transaction,
    { ruleId, canSendMail, ...sender }: Sender & MailAbility & { readonly ruleId: string },
  ): Promise<Committed<StoredNotification[]>> {
    await lockPosition(tx.sql);
    await refuseLimited(tx, 'manage notifications');
    const rule = await findKnownRule(tx.sql, ruleId);
    await checkTargets(tx.sql, rule.content, { canSendMail });
    await refuseMany(tx.sql, ruleId, sender.nowMs);
    const context = { rule, step: 0, ...sender };
    const written = await writeNotifications(tx.sql, allTargets(rule.content), testMessage(context), context);
    return committed(
      written,
      { kind: 'notifications_due' },
      ...(await logFailures(tx, written, context.nowMs)),
    );
  },

  /** Reads new events and writes the messages that are due; messages that another node has written meanwhile are not written again. */
  async advance(tx: Transaction, { nowMs, ...readers }: Sender): Promise<Committed<AdvanceReceipt>> {
    const setAside: SetAside[] = [];
    const position = await lockPosition(tx.sql);
    const onUnreadable = (item: SetAside): void => void setAside.push(item);
    const all = { afterRuleId: null, limit: NOTIFICATION_RULES_MAX };
    const pushed = (await pushedCallers(tx.sql)).filter((caller) => isValidAt(caller, nowMs));
    const limits = new Map(pushed.map((caller) => [caller.keyId, limitsWith(caller, 'read')]));
    const rules = [
      ...(await listRules(tx.sql, RULE_DOCUMENT, all, onUnreadable)),
      ...(limits.size === 0
        ? []
        : await listOwnRules(tx.sql, RULE_DOCUMENT, [...limits.keys()], onUnreadable)),
    ];
    const hasMoreEvents = await planNotices(tx.sql, {
      rules,
      limits,
      position,
      nowMs,
      timeZone: readers.timeZone,
    });
    const { written, hasMore } = await composeDue(tx.sql, { rules, limits, ...readers, nowMs }, onUnreadable);
    const effects = await logFailures(tx, written, nowMs);
    return committed({ hasMore: hasMoreEvents || hasMore, setAside }, ...effects);
  },

  /** Takes notifications that are due; they are due again after the lease unless the attempt is recorded. */
  claim: async (tx: Transaction, claim: NotificationClaim): Promise<Committed<StoredNotification[]>> =>
    committed(await claimNotifications(tx.sql, NOTIFICATION_DOCUMENT, claim)),

  /** Extends the lease, because the sender still works on the notification. */
  renew: async (
    tx: Transaction,
    lease: { readonly notificationId: string; readonly fromMs: number; readonly toMs: number },
  ): Promise<Committed<boolean>> => committed(await renewNotification(tx.sql, lease)),

  recordAttempt,

  /** Stores the keys of the service, unless there are some already. */
  async keepPushKeys(tx: Transaction, keys: PushKeys): Promise<Committed<null>> {
    await insertPushKeys(tx.sql, keys);
    return committed(null);
  },

  /** Stores a subscription. A person without settings gets the settings that most people want. */
  async subscribe(tx: Transaction, subscription: StoredSubscription): Promise<Committed<null>> {
    const { keyId, createdAtMs: nowMs } = subscription;
    await lockPosition(tx.sql);
    await requireOwn(tx, keyId);
    await saveSubscription(tx.sql, subscription);
    const known = await findOwnRule(tx.sql, RULE_DOCUMENT, keyId);
    if (known === undefined)
      await saveOwnRule(tx.sql, keyId, pushRule(keyId, FIRST_PUSH_SETTINGS, ''), nowMs);
    return committed(null);
  },

  async unsubscribe(tx: Transaction, keyId: string, subscriptionId: string): Promise<Committed<boolean>> {
    const isRemoved = await removeSubscription(tx.sql, keyId, subscriptionId);
    await requireOwn(tx, keyId);
    return committed(isRemoved);
  },

  async changePushSettings(
    tx: Transaction,
    {
      keyId,
      content,
      nowMs,
    }: { readonly keyId: string; readonly content: RuleContent; readonly nowMs: number },
  ): Promise<Committed<null>> {
    await lockPosition(tx.sql);
    await requireOwn(tx, keyId);
    await saveOwnRule(tx.sql, keyId, content, nowMs);
    return committed(null);
  },

  /** Sends a test to every browser of the person; returns the number of browsers. */
  async testPush(
    tx: Transaction,
    { keyId, ...sender }: Sender & { readonly keyId: string },
  ): Promise<Committed<number>> {
    await lockPosition(tx.sql);
    await requireOwn(tx, keyId);
    const rule = await findOwnRule(tx.sql, RULE_DOCUMENT, keyId);
    if (rule === undefined) return committed(0);
    await refuseMany(tx.sql, rule.ruleId, sender.nowMs);
    const context = { rule, step: 0, ...sender };
    const written = await writeNotifications(tx.sql, rule.content.targets, testMessage(context), context);
    return committed(written.length, { kind: 'notifications_due' });
  },

  /** Removes a limited number of old notifications and returns how many. */
  expire: longWrite(async (tx, expiry: Expiry) =>
    committed((await expireNotices(tx.sql, expiry)) + (await expireNotifications(tx.sql, expiry))),
  ),
};

/** Logs the events of failed notifications; this is the last step of a write. Returns its effects. */
async function logFailures(
  tx: Transaction,
  written: readonly StoredNotification[],
  nowMs: number,
): Promise<Effect[]> {
  const events = failureEvents(written, nowMs);
  await logEvents(tx, events);
  return [...eventsLogged(events), ...(isPassedOn(written) ? [{ kind: 'webhooks_changed' } as const] : [])];
}
