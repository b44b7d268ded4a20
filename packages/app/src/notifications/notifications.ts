import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import { type Readers, testMessage } from '@granary/core/notifications/message';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import { allTargets, RULE_DOCUMENT } from '@granary/core/notifications/rule';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { logEvents } from '@granary/store/tables/events';
import { expireNotices, hasDueNotices } from '@granary/store/tables/notifications/notices';
import {
  claimNotifications,
  expireNotifications,
  hasUnsentNotifications,
  listNotifications,
  type NotificationClaim,
  type NotificationPage,
  renewNotification,
} from '@granary/store/tables/notifications/notifications';
import { lockPosition } from '@granary/store/tables/notifications/position';
import { listRules, type RulePage } from '@granary/store/tables/notifications/rules';
import type { SetAside } from '@granary/store/tables/unreadable-row';
import { type Committed, committed, type Effect, eventsLogged } from '../effects.ts';
import { recordAttempt } from './attempts.ts';
import { composeDue } from './compose.ts';
import { planNotices } from './plan.ts';
import { createRule, findKnownRule, removeRule, replaceRule } from './rules.ts';
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
    sql: Sql,
    { ruleId, canSendMail, ...sender }: Sender & MailAbility & { readonly ruleId: string },
  ): Promise<Committed<StoredNotification[]>> {
    await lockPosition(sql, { isWaiting: true });
    const rule = await findKnownRule(sql, ruleId);
    await checkTargets(sql, rule.content, { canSendMail });
    const context = { rule, step: 0, ...sender };
    const written = await writeNotifications(sql, allTargets(rule.content), testMessage(context), context);
    return committed(
      written,
      { kind: 'notifications_due' },
      ...(await logFailures(sql, written, context.nowMs)),
    );
  },

  /** Reads new events and writes the messages that are due; another node may be doing it, then nothing happens. */
  async advance(sql: Sql, { nowMs, ...readers }: Sender): Promise<Committed<AdvanceReceipt>> {
    const setAside: SetAside[] = [];
    const position = await lockPosition(sql, { isWaiting: false });
    if (position === undefined) return committed({ hasMore: false, isBusy: true, setAside });
    const onUnreadable = (item: SetAside): void => void setAside.push(item);
    const all = { afterRuleId: null, limit: NOTIFICATION_RULES_MAX };
    const rules = await listRules(sql, RULE_DOCUMENT, all, onUnreadable);
    const hasMoreEvents = await planNotices(sql, { rules, position, nowMs });
    const { written, hasMore } = await composeDue(sql, { rules, ...readers, nowMs }, onUnreadable);
    const effects = await logFailures(sql, written, nowMs);
    return committed({ hasMore: hasMoreEvents || hasMore, isBusy: false, setAside }, ...effects);
  },

  /** Takes notifications that are due; they are due again after the lease unless the attempt is recorded. */
  claim: async (sql: Sql, claim: NotificationClaim): Promise<Committed<StoredNotification[]>> =>
    committed(await claimNotifications(sql, NOTIFICATION_DOCUMENT, claim)),

  /** The sender still works on it. */
  renew: async (
    sql: Sql,
    lease: { readonly notificationId: string; readonly fromMs: number; readonly toMs: number },
  ): Promise<Committed<boolean>> => committed(await renewNotification(sql, lease)),

  recordAttempt,

  /** Removes a limited number of old notifications and returns how many. */
  expire: async (sql: Sql, expiry: Expiry): Promise<Committed<number>> =>
    committed((await expireNotices(sql, expiry)) + (await expireNotifications(sql, expiry))),
};

/** The last step of a write; returns its effects. */
async function logFailures(
  sql: Sql,
  written: readonly StoredNotification[],
  nowMs: number,
): Promise<Effect[]> {
  const events = failureEvents(written, nowMs);
  await logEvents(sql, events);
  return [...eventsLogged(events), ...(isPassedOn(written) ? [{ kind: 'webhooks_changed' } as const] : [])];
}
