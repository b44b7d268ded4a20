import {
  type AlertEvent,
  NOTICE_DOCUMENT,
  NOTICE_EVENT_TYPES,
  type Notice,
  type NoticesBySteps,
  noticesAfter,
} from '@granary/core/notifications/notice';
import type { StoredRule } from '@granary/core/notifications/rule';
import type { Sql } from '@granary/store/sql';
import { noticesOfAlerts, removeNotices, saveNotices } from '@granary/store/tables/notifications/notices';
import { alertEvents, newestSequence, savePosition } from '@granary/store/tables/notifications/position';

/** Limits of one transaction, so that other writes are not held up for long: numbers of events, and events times rules. */
const EVENTS_PER_CALL_MAX = 2_000;
const DECISIONS_PER_CALL_MAX = 1_000;

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
  const limit = Math.ceil(DECISIONS_PER_CALL_MAX / rules.length);
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
  for (const { ruleId, content } of rules) {
    for (const [alertId, ofAlert] of eventsOfAlerts) {
      const before: NoticesBySteps = new Map(
        storedByKey.get(`${ruleId} ${alertId}`)?.map(({ step, notice }) => [step, notice]),
      );
      const after = ofAlert.reduce(
        (notices, event) => noticesAfter(content, notices, notLater(event, nowMs)),
        before,
      );
      await saveDifference(sql, { ruleId, alertId }, before, after, nowMs);
    }
  }
}

/** The clock of another node may be ahead, which must not delay anything. */
const notLater = (event: AlertEvent, nowMs: number): AlertEvent => ({
  ...event,
  atMs: Math.min(event.atMs, nowMs),
});

async function saveDifference(
  sql: Sql,
  key: { readonly ruleId: string; readonly alertId: string },
  before: NoticesBySteps,
  after: NoticesBySteps,
  nowMs: number,
): Promise<void> {
  const changed = [...after].filter(([step, notice]: [number, Notice]) => before.get(step) !== notice);
  const removed = [...before.keys()].filter((step) => !after.has(step));
  await saveNotices(
    sql,
    NOTICE_DOCUMENT,
    changed.map(([step, notice]) => ({ ...key, step, notice })),
    nowMs,
  );
  await removeNotices(
    sql,
    removed.map((step) => ({ ...key, step })),
  );
}
