import type { Alert } from '@granary/contract/alerts';
import type { EventType } from '@granary/contract/events';
import type { OperationRecord } from '@granary/contract/operations';
import { quietUntil } from '@granary/core/notifications/dispatch';
import {
  type AlertEvent,
  NOTICE_DOCUMENT,
  NOTICE_EVENT_TYPES,
  type NoticesBySteps,
  noticesAfter,
} from '@granary/core/notifications/notice';
import { type EndedOperation, hasEnded, pushedOperation } from '@granary/core/notifications/push';
import { NOTIFICATION_DOCUMENT, type StoredNotification } from '@granary/core/notifications/record';
import { type StoredRule, stepsOf } from '@granary/core/notifications/rule';
import type { Sql } from '@granary/store/sql';
import { zonesOfDevices } from '../configuration/configuration-rows.ts';
import { isSeen, type LimitsOfOwners } from './compose.ts';
import {
  type NoticeKey,
  noticesOfAlerts,
  removeNotices,
  type StoredNotice,
  saveNotices,
} from './notice-rows.ts';
import { insertNotifications } from './notification-rows.ts';
import { subscriptionsOf } from './push-rows.ts';
import { newestSequence, savePosition, type ToldEvent, toldEvents } from './rule-rows.ts';
import { pending } from './write-notifications.ts';

/** The limits of events and of notices in one transaction, so that other writes are not delayed for long. */
const EVENTS_PER_CALL_MAX = 2_000;
const NOTICES_PER_CALL_MAX = 300;

const OPERATION_EVENT: EventType = 'operation.status_changed';

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
