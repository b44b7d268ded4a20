import { NOTIFICATION_RULES_MAX } from '@granary/contract/notifications';
import { testMessage } from '@granary/core/notifications/message';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import { allTargets, RULE_DOCUMENT } from '@granary/core/notifications/rule';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { expireNotices } from '@granary/store/tables/notifications/notices';
import {
  claimNotifications,
  expireNotifications,
  hasDueNotifications,
  listNotifications,
  type NotificationClaim,
  type NotificationPage,
} from '@granary/store/tables/notifications/notifications';
import { lockPosition } from '@granary/store/tables/notifications/position';
import { listRules, type RulePage } from '@granary/store/tables/notifications/rules';
import type { SetAside } from '@granary/store/tables/unreadable-row';
import { type Committed, committed } from '../effects.ts';
import { recordAttempt } from './attempts.ts';
import { composeDue, writeNotifications } from './compose.ts';
import { planNotices } from './plan.ts';
import { createRule, findKnownRule, removeRule, replaceRule } from './rules.ts';
import { checkTargets, type MailAbility } from './targets.ts';

export interface AdvanceReceipt {
  /** There are more events, or more notices that are due. */
  readonly hasMore: boolean;
  readonly setAside: readonly SetAside[];
}

interface Sender {
  readonly publicUrl: string | null;
  readonly nowMs: number;
}

export const reads = {
  findRule: (sql: Sql, ruleId: string) => findKnownRule(sql, ruleId),
  listRules: (sql: Sql, page: RulePage) => listRules(sql, RULE_DOCUMENT, page, () => undefined),
  list: (sql: Sql, page: NotificationPage) => listNotifications(sql, NOTIFICATION_DOCUMENT, page),
  hasDue: (sql: Sql, nowMs: number) => hasDueNotifications(sql, nowMs),
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
    return committed(written, { kind: 'notifications_due' });
  },

  /** Reads new events and writes the messages that are due; another node may be doing it, then nothing happens. */
  async advance(sql: Sql, { nowMs, publicUrl }: Sender): Promise<Committed<AdvanceReceipt>> {
    const setAside: SetAside[] = [];
    const position = await lockPosition(sql, { isWaiting: false });
    if (position === undefined) return committed({ hasMore: false, setAside });
    const onUnreadable = (item: SetAside): void => void setAside.push(item);
    const all = { afterRuleId: null, limit: NOTIFICATION_RULES_MAX };
    const rules = await listRules(sql, RULE_DOCUMENT, all, onUnreadable);
    const hasMoreEvents = await planNotices(sql, { rules, position, nowMs });
    const hasMoreDue = await composeDue(sql, { rules, publicUrl, nowMs }, onUnreadable);
    return committed({ hasMore: hasMoreEvents || hasMoreDue, setAside });
  },

  /** Takes notifications that are due; they are due again after the lease unless the attempt is recorded. */
  claim: async (sql: Sql, claim: NotificationClaim): Promise<Committed<StoredNotification[]>> =>
    committed(await claimNotifications(sql, NOTIFICATION_DOCUMENT, claim)),

  recordAttempt,

  /** Removes a limited number of old notifications and returns how many. */
  expire: async (sql: Sql, expiry: Expiry): Promise<Committed<number>> =>
    committed((await expireNotices(sql, expiry)) + (await expireNotifications(sql, expiry))),
};
