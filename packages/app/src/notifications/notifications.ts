import type { Alert } from '@granary/contract/alerts';
import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { NOTIFICATION_RULES_MAX, type NotificationTarget } from '@granary/contract/notifications';
import type { OperationRecord } from '@granary/contract/operations';
import type { PushSettings } from '@granary/contract/push';
import { isValidAt, limitsWith } from '@granary/core/keys';
import { quietUntil } from '@granary/core/notifications/dispatch';
import { type Readers, testMessage } from '@granary/core/notifications/message';
import {
  type AlertEvent,
  NOTICE_DOCUMENT,
  NOTICE_EVENT_TYPES,
  type NoticesBySteps,
  noticesAfter,
} from '@granary/core/notifications/notice';
import { type EndedOperation, hasEnded, pushedOperation } from '@granary/core/notifications/push';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import {
  allTargets,
  FIRST_PUSH_SETTINGS,
  pushRule,
  pushSettings,
  RULE_DOCUMENT,
  type RuleContent,
  ruleRecord,
  type StoredRule,
  stepsOf,
} from '@granary/core/notifications/rule';
import { quoted } from '@granary/core/words';
import type { Expiry } from '@granary/store/expiry';
import type { Sql } from '@granary/store/sql';
import { zonesOfDevices } from '../configuration/configuration-rows.ts';
import { type Committed, committed, type Effect, eventsLogged } from '../effects.ts';
import { logEvents } from '../events/event-rows.ts';
import { findCaller } from '../keys/key-rows.ts';
import { refuseLimited, requireOwn } from '../rights.ts';
import { keptFor } from '../slice.ts';
import { longWrite, type Transaction } from '../transaction.ts';
import type { SetAside } from '../unreadable-row.ts';
import { findWebhook } from '../webhooks/webhook-rows.ts';
import { refuseMany } from './asked-messages.ts';
import { recordAttempt } from './attempts.ts';
import { composeDue, isSeen, type LimitsOfOwners } from './compose.ts';
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
  insertNotifications,
  listNotifications,
  type NotificationClaim,
  type NotificationPage,
  renewNotification,
} from './notification-rows.ts';
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
import {
  countRules,
  findOwnRule,
  findRule,
  insertRule,
  listOwnRules,
  listRules,
  lockPosition,
  newestSequence,
  type RulePage,
  removeRule as removeRow,
  savePosition,
  saveRule,
  type ToldEvent,
  toldEvents,
} from './rule-rows.ts';
import { failureEvents, isPassedOn, pending, writeNotifications } from './write-notifications.ts';

/** The limits of events and of notices in one transaction, so that other writes are not delayed for long. */
const EVENTS_PER_CALL_MAX = 2_000;
const NOTICES_PER_CALL_MAX = 300;

const OPERATION_EVENT: EventType = 'operation.status_changed';

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

interface PlanRequest {
  readonly rules: readonly StoredRule[];
  readonly limits: LimitsOfOwners;
  readonly position: number;
  readonly nowMs: number;
  /** The time zone of the service. */
  readonly timeZone: string;
}

/** Reads the next events and stores what each rule has to tell about them. Returns whether there are more. */
export async function planNotices(sql: Sql, plan: PlanRequest): Promise<boolean> {
  const { rules, position } = plan;
  const newest = await newestSequence(sql);
  if (position === newest) return false;
  if (rules.length === 0) {
    await savePosition(sql, newest);
    return false;
  }
  const steps = rules.reduce((sum, { content }) => sum + 1 + stepsOf(content).length, 0);
  const limit = Math.ceil(NOTICES_PER_CALL_MAX / steps);
  const range = { after: position, upTo: Math.min(newest, position + EVENTS_PER_CALL_MAX), limit };
  const found = await toldEvents(sql, { ...range, types: [...NOTICE_EVENT_TYPES, OPERATION_EVENT] });
  const isAboutAlert = Object.groupBy(found, ({ type }) => (type === OPERATION_EVENT ? 'no' : 'yes'));
  await saveChanges(sql, plan, (isAboutAlert.yes ?? []).map(alertEvent));
  await tellOperations(sql, plan, (isAboutAlert.no ?? []).map(operationEvent));
  const last = found.length === limit ? found.at(-1)?.sequence : undefined;
  await savePosition(sql, last ?? range.upTo);
  return (last ?? range.upTo) < newest;
}

const alertEvent = ({ type, atMs, data, deviceId, facility, labels }: ToldEvent): AlertEvent => ({
  type,
  atMs,
  snapshot: { alert: data as Alert, deviceId, facility, labels },
});

type OperationEvent = Omit<EndedOperation, 'timeZone'> & Pick<ToldEvent, 'deviceNo'>;

const operationEvent = ({ data, deviceNo, deviceId, deviceName, facility }: ToldEvent): OperationEvent => ({
  operation: data as OperationRecord,
  deviceNo,
  deviceId,
  deviceName,
  facility,
});

/**
 * Tells people about ended operations. An operation that ends in the quiet hours of a person is not told: in the morning nobody
 * waits for it.
 */
async function tellOperations(
  sql: Sql,
  { rules, limits, nowMs, timeZone: zoneOfService }: PlanRequest,
  operations: readonly OperationEvent[],
): Promise<void> {
  const ended = operations.filter(({ operation }) => hasEnded(operation));
  const written: StoredNotification[] = [];
  for (const rule of ended.length === 0 ? [] : rules) {
    const { operations: wanted = 'none', quiet_hours: quiet, match } = rule.content;
    if (rule.ownerId === null || wanted === 'none') continue;
    if (quiet !== null && quietUntil(quiet, nowMs) !== null) continue;
    const told = ended.filter(
      (one) =>
        (wanted === 'all' || one.operation.requested_by?.key_id === rule.ownerId) &&
        (match.facilities?.includes(one.facility) ?? true) &&
        isSeen(rule, one, limits),
    );
    const browsers = told.length === 0 ? [] : await subscriptionsOf(sql, rule.ownerId);
    const zones =
      browsers.length === 0 ? new Map<number, string>() : await zonesOfDevices(sql, told, zoneOfService);
    for (const one of told) {
      const subject = `${one.deviceName}: ${one.operation.status_detail}`;
      const message = { kind: 'operation' as const, subject, text: subject, alerts: [], alertCount: 0 };
      for (const { subscriptionId } of browsers) {
        const target = { person_id: rule.ownerId, subscription_id: subscriptionId };
        const pushed = pushedOperation({ ...one, timeZone: zones.get(one.deviceNo) ?? zoneOfService });
        written.push(pending('push', target, message, { rule, step: 0, nowMs }, pushed));
      }
    }
  }
  await insertNotifications(sql, NOTIFICATION_DOCUMENT, written);
}

async function saveChanges(
  sql: Sql,
  { rules, limits, nowMs }: PlanRequest,
  events: readonly AlertEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const eventsOfAlerts = Map.groupBy(events, ({ snapshot }) => snapshot.alert.alert_id);
  const stored = await noticesOfAlerts(sql, NOTICE_DOCUMENT, [...eventsOfAlerts.keys()]);
  const storedByKey = Map.groupBy(stored, ({ ruleId, alertId }) => `${ruleId} ${alertId}`);
  const changed: StoredNotice[] = [];
  const removed: NoticeKey[] = [];
  for (const rule of rules) {
    const { ruleId, content } = rule;
    for (const [alertId, ofAlert] of eventsOfAlerts) {
      if (!ofAlert.every(({ snapshot }) => isSeen(rule, snapshot, limits))) continue;
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

/** Limits the time of an event to the present: the clock of another node may be ahead, which must not delay anything. */
const notLater = (event: AlertEvent, nowMs: number): AlertEvent => ({
  ...event,
  atMs: Math.min(event.atMs, nowMs),
});

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

async function saveOwnRule(sql: Sql, ownerId: string, content: RuleContent, nowMs: number): Promise<void> {
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

async function findKnownRule(sql: Sql, ruleId: string): Promise<StoredRule> {
  const rule = await findRule(sql, RULE_DOCUMENT, ruleId);
  if (rule === undefined) {
    throw new Refusal('notification_rule_not_found', `there is no notification rule ${quoted(ruleId)}`);
  }
  return rule;
}

async function createRule(tx: Transaction, change: RuleChange): Promise<Committed<StoredRule>> {
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
async function replaceRule(tx: Transaction, change: RuleChange): Promise<Committed<StoredRule>> {
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
async function removeRule(
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
