import type { EventType } from '@granary/contract/events';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import {
  type AlertChange,
  alertsOfRemovedDevice,
  evaluateAlerts,
  nextEvaluationAtMs,
} from '@granary/core/alerts/evaluation';
import { ALERT_DOCUMENT, type AlertState } from '@granary/core/alerts/lifecycle';
import { delaysOf } from '@granary/core/alerts/monitoring';
import { type NoChangeRanges, noChangeRanges } from '@granary/core/alerts/no-change-ranges';
import { type Observed, observe } from '@granary/core/alerts/observation';
import { alertEvents, alertRecord, isRaised } from '@granary/core/alerts/record';
import { thresholdValueConditions } from '@granary/core/alerts/rules/threshold-rules';
import type { ValueRange } from '@granary/core/alerts/rules/value-range';
import { deviceSummary } from '@granary/core/fleet/record';
import { profileOf } from '@granary/core/profiles/profiles';
import type { Sql } from '@granary/store/sql';
import { type DeviceWithFacts, readDeviceFacts } from '../device-facts.ts';
import type { StoredDevice } from '../device-rows.ts';
import type { NewEvent } from '../events/event-rows.ts';
import { newId } from '../ids.ts';
import { type Transaction, together } from '../transaction.ts';
import { type OnUnreadable, reasonOf, type SetAside } from '../unreadable-row.ts';
import { openAlerts, removeAlert, saveAlerts, type UnreadableAlert } from './alert-rows.ts';
import { type AlertEvaluation, isSameRanges, saveEvaluations } from './evaluation-rows.ts';
import { saveRaises } from './raise-rows.ts';

/**
 * A batch that commits at the same time as an evaluation has read the previous no-change ranges. Another evaluation soon
 * after they have changed finds what that batch missed.
 */
const LOOK_AGAIN_MS = SECOND_MS;
/** A device that cannot be evaluated is not tried again in every round. */
const SET_ASIDE_RETRY_MS = MINUTE_MS;

export interface Evaluation {
  readonly changes: number;
  /** The events, which the write must log as its last step. */
  readonly events: readonly NewEvent[];
  /** The items that could not be read or decided; everything else was evaluated. */
  readonly setAside: readonly SetAside[];
}

/** The result of the evaluation of one device. */
interface Outcome {
  readonly before: AlertEvaluation;
  readonly evaluation: AlertEvaluation;
  readonly changes: readonly AlertChange[];
  readonly events: readonly NewEvent[];
}

/** The open alerts of a device. Of those that cannot be read, only the type and the rule are known. */
interface OpenAlerts {
  readonly alerts: readonly AlertState[];
  readonly unreadable: readonly UnreadableAlert[];
}

/** Evaluates the alerts of locked devices from stored facts; a second evaluation changes nothing. */
export async function evaluateDevices(
  tx: Transaction,
  held: readonly AlertEvaluation[],
  nowMs: number,
): Promise<Evaluation> {
  if (held.length === 0) return { changes: 0, events: [], setAside: [] };
  const setAside: SetAside[] = [];
  const onUnreadable = (item: SetAside): void => void setAside.push(item);
  const deviceNos = held.map(({ deviceNo }) => deviceNo);
  const [found, { alerts, unreadable }] = await together([
    readEvaluatedDevices(tx.sql, deviceNos, onUnreadable),
    openAlerts(tx.sql, ALERT_DOCUMENT, deviceNos, onUnreadable),
  ]);
  const subjects = new Map(found.map((subject) => [subject.device.deviceNo, subject]));
  const alertsOf = Map.groupBy(alerts, ({ deviceNo }) => deviceNo);
  const unreadableOf = Map.groupBy(unreadable, ({ deviceNo }) => deviceNo);
  const outcomes = held.map((before): Outcome => {
    const subject = subjects.get(before.deviceNo);
    if (subject === undefined) return postponed(before, nowMs);
    const open = {
      alerts: alertsOf.get(before.deviceNo) ?? [],
      unreadable: unreadableOf.get(before.deviceNo) ?? [],
    };
    try {
      return evaluate(before, subject, open, nowMs);
    } catch (error) {
      onUnreadable({ kind: 'alerts of device', id: subject.device.deviceId, reason: reasonOf(error) });
      return postponed(before, nowMs);
    }
  });
  const changes = outcomes.flatMap((outcome) => outcome.changes);
  await saveChanges(tx.sql, changes, nowMs);
  await saveEvaluations(
    tx,
    outcomes.map(({ before, evaluation }) => ({ before, after: evaluation })),
  );
  return { changes: changes.length, events: outcomes.flatMap(({ events }) => events), setAside };
}

const postponed = (before: AlertEvaluation, nowMs: number): Outcome => ({
  before,
  evaluation: { ...before, nextEvaluationAtMs: nowMs + SET_ASIDE_RETRY_MS },
  changes: [],
  events: [],
});

/** Decides everything before the first write, so that a fault leaves the transaction unchanged. */
function evaluate(
  before: AlertEvaluation,
  subject: EvaluatedDevice,
  open: OpenAlerts,
  nowMs: number,
): Outcome {
  const { device } = subject;
  if (device.removedAtMs !== null) return withoutDevice(before, open.alerts, nowMs);
  const observation = observe(before, device.presence, nowMs);
  const observed = { ...observation, dueAtMs: before.nextEvaluationAtMs };
  // An alert that cannot be read is still open, so a second one of the same type and rule must not be raised.
  const isUnreadable = (alert: AlertState | null): boolean =>
    open.unreadable.some(({ type, rule }) => alert?.type === type && alert.rule === rule);
  const changes = subject
    .changes(open.alerts, observed, nowMs)
    .filter(({ before, after }) => !isUnreadable(before) && !isUnreadable(after));
  const evaluation = evaluationAfter(
    { ...before, ...observation },
    subject,
    applied(open.alerts, changes),
    nowMs,
  );
  const events: NewEvent[] = [];
  if (evaluation.lastPublishedStatus !== before.lastPublishedStatus) {
    const data = deviceSummary(device, nowMs);
    events.push({ type: 'device.status_changed', deviceNo: before.deviceNo, atMs: nowMs, data });
  }
  events.push(...changes.flatMap((change) => eventsOf(change, nowMs)));
  return { before, evaluation, changes, events };
}

/** A removed device is not evaluated again; a message that was under way during its removal may still schedule it. */
function withoutDevice(before: AlertEvaluation, open: readonly AlertState[], nowMs: number): Outcome {
  const changes = alertsOfRemovedDevice(open, nowMs);
  return {
    before,
    evaluation: { ...before, noChangeRanges: null, nextEvaluationAtMs: null },
    changes,
    events: changes.flatMap((change) => eventsOf(change, nowMs)),
  };
}

/** The open alerts after the changes. */
function applied(open: readonly AlertState[], changes: readonly AlertChange[]): AlertState[] {
  const replaced = new Set(changes.map(({ before }) => before));
  return [
    ...open.filter((alert) => !replaced.has(alert)),
    ...changes.flatMap(({ after }) => (after === null || after.status === 'resolved' ? [] : [after])),
  ];
}

function evaluationAfter(
  before: AlertEvaluation,
  subject: EvaluatedDevice,
  open: readonly AlertState[],
  nowMs: number,
): AlertEvaluation {
  // Any message of an offline device makes it online, which must be logged.
  const ranges = before.lastPublishedStatus === 'offline' ? null : subject.noChangeRanges(open);
  if ([ranges?.weight, ...(ranges?.others ?? [])].some((range) => range && isNotANumber(range))) {
    throw new Error('its thresholds are not numbers');
  }
  const observed = { ...before, dueAtMs: before.nextEvaluationAtMs };
  const nextMs = subject.nextEvaluationAtMs(open, observed, nowMs) ?? Number.POSITIVE_INFINITY;
  const againMs = isSameRanges(ranges, before.noChangeRanges)
    ? Number.POSITIVE_INFINITY
    : nowMs + LOOK_AGAIN_MS;
  const nextEvaluationAtMs = Math.min(nextMs, againMs);
  return {
    ...before,
    noChangeRanges: ranges,
    nextEvaluationAtMs: Number.isFinite(nextEvaluationAtMs) ? nextEvaluationAtMs : null,
  };
}

const isNotANumber = ({ min, max }: ValueRange): boolean => Number.isNaN(min) || Number.isNaN(max);

async function saveChanges(sql: Sql, changes: readonly AlertChange[], nowMs: number): Promise<void> {
  for (const { before, after } of changes) {
    if (before !== null && after === null) await removeAlert(sql, before.alertId);
  }
  await saveAlerts(
    sql,
    ALERT_DOCUMENT,
    changes.flatMap(({ after }) => after ?? []),
  );
  await saveRaises(
    sql,
    changes.flatMap(({ before, after }) => (after !== null && isRaised(before, after) ? after : [])),
    nowMs,
  );
}

export function eventsOf({ before, after }: AlertChange, atMs: number): NewEvent[] {
  const data = after === null ? null : alertRecord(after);
  if (after === null || data === null) return [];
  return alertEvents(before, after).map((type: EventType) => ({
    type,
    deviceNo: after.deviceNo,
    atMs,
    data,
  }));
}

/** The functions of a device that an evaluation calls, for every profile. `open` are the alerts that are not resolved. */
interface EvaluatedDevice {
  readonly device: StoredDevice;
  changes(open: readonly AlertState[], observed: Observed, nowMs: number): AlertChange[];
  /** Returns when the alerts of the device can change without a message; `null` for never. */
  nextEvaluationAtMs(open: readonly AlertState[], observed: Observed, nowMs: number): number | null;
  noChangeRanges(open: readonly AlertState[]): NoChangeRanges | null;
}

async function readEvaluatedDevices(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable: OnUnreadable,
): Promise<EvaluatedDevice[]> {
  return (await readDeviceFacts(sql, deviceNos, onUnreadable)).map(evaluatedDevice);
}

function evaluatedDevice({ device, facts }: DeviceWithFacts): EvaluatedDevice {
  const profile = profileOf(device.profile);
  const delays = delaysOf(facts.configuration.alarms);
  const observedFacts = ({ observedSinceMs, onlineSinceMs, dueAtMs }: Observed) => ({
    ...facts,
    observedSinceMs,
    onlineSinceMs,
    dueAtMs,
  });
  return {
    device,
    changes: (open, observed, nowMs) => {
      const newAlertId = () => newId('al', nowMs);
      return evaluateAlerts(profile, observedFacts(observed), open, { delays, newAlertId }, nowMs);
    },
    nextEvaluationAtMs: (open, observed, nowMs) =>
      nextEvaluationAtMs(profile, observedFacts(observed), open, delays, nowMs),
    noChangeRanges: (open) => {
      const conditions = profile.valueConditions(facts);
      if (conditions === null) return null;
      return noChangeRanges([...conditions, ...thresholdValueConditions(facts)], open);
    },
  };
}
