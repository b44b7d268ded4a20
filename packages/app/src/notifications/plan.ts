import {
  type AlertEvent,
  NOTICE_DOCUMENT,
  NOTICE_EVENT_TYPES,
  type NoticesBySteps,
  noticesAfter,
} from '@granary/core/notifications/notice';
import type { StoredRule } from '@granary/core/notifications/rule';
import type { Sql } from '@granary/store/sql';
import {
  type NoticeKey,
  noticesOfAlerts,
  removeNotices,
  type StoredNotice,
  saveNotices,
} from './notice-rows.ts';
import { alertEvents, newestSequence, savePosition } from './rule-rows.ts';

/** Limits of one transaction, so that other writes are not held up for long: numbers of events, and notices. */
const EVENTS_PER_CALL_MAX = 2_000;
const NOTICES_PER_CALL_MAX = 300;

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
