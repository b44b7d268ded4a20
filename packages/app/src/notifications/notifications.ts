import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { NOTIFICATION_RULES_MAX, type NotificationTarget } from '@granary/contract/notifications';
import { type Readers, testMessage } from '@granary/core/notifications/message';
import {
  type AlertEvent,
  NOTICE_DOCUMENT,
  NOTICE_EVENT_TYPES,
  type NoticesBySteps,
  noticesAfter,
} from '@granary/core/notifications/notice';
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
import { findWebhook } from '../webhooks/webhook-rows.ts';
import { recordAttempt } from './attempts.ts';
import { composeDue } from './compose.ts';
import {
  expireNotices,
  hasDueNotices,
  type NoticeKey,
  noticesOfAlerts,
  removeNotices,
  removeNoticesOfRule,
  type StoredNotice,
  saveNotices,
} from './notice-rows.ts';
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
import {
  alertEvents,
  countRules,
  findRule,
  insertRule,
  listRules,
  lockPosition,
  newestSequence,
  type RulePage,
  removeRule as removeRow,
  savePosition,
  saveRule,
} from './rule-rows.ts';
import { failureEvents, isPassedOn, writeNotifications } from './write-notifications.ts';

/** Limits of one transaction, so that other writes are not held up for long: numbers of events, and notices. */
const EVENTS_PER_CALL_MAX = 2_000;
const NOTICES_PER_CALL_MAX = 300;

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

interface PlanRequest {
  readonly rules: readonly StoredRule[];
  readonly position: number;
  readonly nowMs: number;
}

/** Reads the next events and stores what each rule has to tell about them. Returns whether there are more. */
export async function planNotices(sql: Sql, { rules, position, nowMs }: PlanRequest): Promise<boolean> {
  const newest = await newestSequence(sql);
  if (position === newest) return false;
  if (rules.length === 0) {
    await savePosition(sql, newest);
    return false;
  }
  const steps = rules.reduce((sum, { content }) => sum + 1 + content.escalation.length, 0);
  const limit = Math.ceil(NOTICES_PER_CALL_MAX / steps);
  const range = { after: position, upTo: Math.min(newest, position + EVENTS_PER_CALL_MAX), limit };
  const found = await alertEvents(sql, { ...range, types: NOTICE_EVENT_TYPES });
  await saveChanges(
    sql,
    rules,
    found.map(({ event }) => event),
    nowMs,
  );
  const last = found.length === limit ? found.at(-1)?.sequence : undefined;
  await savePosition(sql, last ?? range.upTo);
  return (last ?? range.upTo) < newest;
}

async function saveChanges(
  sql: Sql,
  rules: readonly StoredRule[],
  events: readonly AlertEvent[],
  nowMs: number,
): Promise<void> {
  if (events.length === 0) return;
  const eventsOfAlerts = Map.groupBy(events, ({ snapshot }) => snapshot.alert.alert_id);
  const stored = await noticesOfAlerts(sql, NOTICE_DOCUMENT, [...eventsOfAlerts.keys()]);
  const storedByKey = Map.groupBy(stored, ({ ruleId, alertId }) => `${ruleId} ${alertId}`);
  const changed: StoredNotice[] = [];
  const removed: NoticeKey[] = [];
  for (const { ruleId, content } of rules) {
    for (const [alertId, ofAlert] of eventsOfAlerts) {
      const before: NoticesBySteps = new Map(
        storedByKey.get(`${ruleId} ${alertId}`)?.map(({ step, notice }) => [step, notice]),
      );
      const after = ofAlert.reduce(
        (notices, event) => noticesAfter(content, notices, notLater(event, nowMs)),
        before,
      );
      for (const [step, notice] of after) {
        if (before.get(step) !== notice) changed.push({ ruleId, alertId, step, notice });
      }
      for (const step of before.keys()) if (!after.has(step)) removed.push({ ruleId, alertId, step });
    }
  }
  await saveNotices(sql, NOTICE_DOCUMENT, changed, nowMs);
  await removeNotices(sql, removed);
}

/** The clock of another node may be ahead, which must not delay anything. */
const notLater = (event: AlertEvent, nowMs: number): AlertEvent => ({
  ...event,
  atMs: Math.min(event.atMs, nowMs),
});

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
