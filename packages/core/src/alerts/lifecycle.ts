import {
  type Acknowledgement,
  ALERT_SEVERITIES,
  ALERT_STATUSES,
  type AlertSeverity,
  type AlertStatus,
  type AlertType,
  type Shelving,
} from '@granary/contract/alerts';
import type { Actor } from '@granary/contract/audit';
import { Refusal } from '@granary/contract/errors';
import type { AlertMessage } from '@granary/contract/sentences/alerts';
import { isSameSentence } from '@granary/contract/sentences/english';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import { documentKind } from '../documents.ts';

/** An alert that is shelved for longer would be hidden rather than postponed. */
export const SHELVED_MS_MAX = 30 * DAY_MS;

/** How long a condition must be present without interruption before it raises an alert, or absent before it clears one. */
export interface AlertDelays {
  /** Applies to measured values only; an alert about an event, such as a failed operation, is raised immediately. */
  readonly onMs: number;
  readonly offMs: number;
}

const MEASURED: ReadonlySet<AlertType> = new Set<AlertType>([
  'low_level',
  'high_level',
  'critical_level',
  'low_battery',
  'geofence_breach',
  'sensor_fault',
  'sensor_threshold',
]);

export const onDelayMs = (type: AlertType, { onMs }: AlertDelays): number => (MEASURED.has(type) ? onMs : 0);

/** The subject of a condition; a device has one condition for each subject. */
export interface ConditionSubject {
  readonly type: AlertType;
  /** The key of the threshold rule that the condition comes from; other types have one condition per device. */
  readonly rule?: string;
  /** The delays of the rule; when they are not given, the delays of the device apply. */
  readonly delays?: AlertDelays;
}

interface PresentCondition extends ConditionSubject {
  readonly state: 'present';
  readonly severity: AlertSeverity;
  readonly message: AlertMessage;
  readonly currentValue: number | null;
  readonly threshold: number | null;
  /**
   * The cause, where it can change while the condition stays present: the id of a failed operation, or several sensors,
   * separated by commas.
   */
  readonly cause: string | null;
  /** The smallest change of the value that is stored while the alert is open; 0 when not given. */
  readonly valueStep?: number;
  /** Given for a value that grows with time: its unit, and the time at which the value was 0. */
  readonly age?: { readonly sinceMs: number; readonly unitMs: number };
}

/** `indeterminate` means inside the dead band, or without data; such a condition neither raises nor clears an alert. */
export type Condition =
  | PresentCondition
  | (ConditionSubject & { readonly state: 'absent' | 'indeterminate' });

/** Whether a condition changes this alert. */
export const isAbout = (alert: AlertState, { type, rule }: ConditionSubject): boolean =>
  alert.type === type && alert.rule === (rule ?? null);

export interface AlertState {
  readonly alertId: string;
  readonly deviceNo: number;
  readonly type: AlertType;
  /** The key of the threshold rule that raised the alert; `null` for all other types. */
  readonly rule: string | null;
  /** `pending` means that the condition is present, but not yet for the on-delay; such an alert is not shown. */
  readonly status: AlertStatus | 'pending';
  readonly severity: AlertSeverity;
  readonly message: AlertMessage;
  readonly currentValue: number | null;
  readonly threshold: number | null;
  readonly cause: string | null;
  /** When the alert was raised; while pending, since when the condition is present. */
  readonly createdAtMs: number;
  /** Since when the condition is absent, until the off-delay has passed. */
  readonly absentSinceMs: number | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedAtMs: number | null;
  /** The caller who sent the acknowledgement. */
  readonly acknowledgedWith: Actor | null;
  readonly note: string | null;
  readonly clearedAtMs: number | null;
  readonly resolvedAtMs: number | null;
  readonly shelvedUntilMs: number | null;
  readonly shelveReason: string | null;
  readonly shelvedBy: string | null;
  readonly shelvedWith: Actor | null;
}

const UNSHELVED = { shelvedUntilMs: null, shelveReason: null, shelvedBy: null, shelvedWith: null } as const;
const UNACKNOWLEDGED = {
  acknowledgedBy: null,
  acknowledgedAtMs: null,
  acknowledgedWith: null,
  note: null,
} as const;

/** The device of a new alert, and the source of its id. */
export interface AlertSubject {
  readonly deviceNo: number;
  readonly newAlertId: () => string;
}

/**
 * Applies a condition to the latest alert about it; `null` means that there is none. A resolved alert never changes, so a
 * new one follows it. An unchanged alert is returned as the same object.
 */
export function advanceAlert(
  before: AlertState | null,
  condition: Condition,
  subject: AlertSubject,
  delays: AlertDelays,
  nowMs: number,
): AlertState | null {
  const alert = before === null ? null : unshelveWhenOver(before, nowMs);
  if (alert === null || alert.status === 'resolved') {
    if (condition.state !== 'present') return alert;
    return raiseWhenLasting(pendingAlert(condition, subject, nowMs), condition, delays, nowMs);
  }
  if (condition.state === 'present') {
    return alert.status === 'pending'
      ? raiseWhenLasting(alert, condition, delays, nowMs)
      : stayPresent(alert, condition);
  }
  if (alert.status === 'pending') return null;
  if (condition.state === 'absent') return clearWhenLasting(alert, delays, nowMs);
  return alert.absentSinceMs === null ? alert : { ...alert, absentSinceMs: null };
}

const detailsOf = ({ severity, message, currentValue, threshold, cause }: PresentCondition) =>
  ({ severity, message, currentValue, threshold, cause }) as const;

const pendingAlert = (
  condition: PresentCondition,
  { deviceNo, newAlertId }: AlertSubject,
  nowMs: number,
): AlertState => ({
  alertId: newAlertId(),
  deviceNo,
  type: condition.type,
  rule: condition.rule ?? null,
  status: 'pending',
  ...detailsOf(condition),
  createdAtMs: nowMs,
  absentSinceMs: null,
  ...UNACKNOWLEDGED,
  clearedAtMs: null,
  resolvedAtMs: null,
  ...UNSHELVED,
});

function raiseWhenLasting(
  alert: AlertState,
  condition: PresentCondition,
  delays: AlertDelays,
  nowMs: number,
): AlertState {
  if (nowMs - alert.createdAtMs < onDelayMs(alert.type, delays)) return alert;
  return { ...alert, ...detailsOf(condition), status: 'active', createdAtMs: nowMs };
}

const urgency = (severity: AlertSeverity): number => ALERT_SEVERITIES.indexOf(severity);

/** The severity of an open alert only rises; a higher severity or a further cause must be acknowledged again. */
function stayPresent(alert: AlertState, condition: PresentCondition): AlertState {
  const isWorse = urgency(condition.severity) > urgency(alert.severity);
  const current = { ...detailsOf(condition), severity: isWorse ? condition.severity : alert.severity };
  if (isWorse || isFurtherCause(alert.cause, condition.cause)) {
    const anew = { ...alert, ...current, ...UNACKNOWLEDGED, ...UNSHELVED };
    return { ...anew, status: 'active', absentSinceMs: null, clearedAtMs: null };
  }
  if (alert.status === 'cleared') return { ...alert, ...current, status: 'active', clearedAtMs: null };
  if (alert.absentSinceMs !== null) return { ...alert, ...current, absentSinceMs: null };
  return isOutdated(alert, condition) ? { ...alert, ...current } : alert;
}

const causesOf = (cause: string | null): string[] => (cause === null ? [] : cause.split(','));

/** A sensor that works again is not a further cause. */
const isFurtherCause = (before: string | null, after: string | null): boolean =>
  !new Set(causesOf(after)).isSubsetOf(new Set(causesOf(before)));

/** Whether the stored values of an open alert are outdated; a change smaller than the step is not worth a write. */
function isOutdated(alert: AlertState, condition: PresentCondition): boolean {
  if (alert.cause !== condition.cause || alert.threshold !== condition.threshold) return true;
  if (isRenamed(alert.message, condition.message)) return true;
  // A sentence about an age names the time at which the age was 0, and a reading that arrives changes this time.
  const isSentenceOfValue = condition.age === undefined && alert.currentValue !== condition.currentValue;
  if (!isSentenceOfValue && !isSameSentence(alert.message, condition.message)) return true;
  if (alert.currentValue === condition.currentValue) return false;
  if (alert.currentValue === null || condition.currentValue === null) return true;
  return Math.abs(condition.currentValue - alert.currentValue) >= (condition.valueStep ?? 0);
}

/** A person may name a threshold rule, or change its name. */
const isRenamed = (before: AlertMessage, after: AlertMessage): boolean =>
  before.code !== after.code || before.values['name'] !== after.values['name'];

function clearWhenLasting(alert: AlertState, { offMs }: AlertDelays, nowMs: number): AlertState {
  if (alert.status === 'cleared') return alert;
  const absentSinceMs = alert.absentSinceMs ?? nowMs;
  if (nowMs - absentSinceMs < offMs) {
    return absentSinceMs === alert.absentSinceMs ? alert : { ...alert, absentSinceMs };
  }
  const gone = { ...alert, absentSinceMs: null, clearedAtMs: nowMs };
  return alert.status === 'acknowledged'
    ? { ...gone, status: 'resolved', resolvedAtMs: nowMs }
    : { ...gone, status: 'cleared' };
}

const REMOVAL_NOTE = 'the device was removed';

/** Resolves an alert whose device was removed; the note says so unless a person wrote one. `null` for an alert that was never shown. */
export const resolveWithRemoval = (alert: AlertState, nowMs: number): AlertState | null =>
  alert.status === 'pending'
    ? null
    : {
        ...alert,
        ...UNSHELVED,
        status: 'resolved',
        absentSinceMs: null,
        note: alert.note ?? REMOVAL_NOTE,
        clearedAtMs: alert.clearedAtMs ?? nowMs,
        resolvedAtMs: nowMs,
      };

function unshelveWhenOver(alert: AlertState, nowMs: number): AlertState {
  const isOver = alert.shelvedUntilMs !== null && nowMs >= alert.shelvedUntilMs;
  return isOver && alert.status !== 'resolved' ? { ...alert, ...UNSHELVED } : alert;
}

/** A repeated acknowledgement changes nothing: the first person stays recorded. */
export function acknowledgeAlert(
  alert: AlertState,
  by: Acknowledgement,
  nowMs: number,
  actor: Actor | null,
): AlertState {
  const acknowledged = {
    ...alert,
    acknowledgedBy: by.acknowledged_by,
    acknowledgedAtMs: nowMs,
    acknowledgedWith: actor,
    note: by.note ?? null,
  };
  if (alert.status === 'active') return { ...acknowledged, status: 'acknowledged' };
  if (alert.status === 'cleared') return { ...acknowledged, status: 'resolved', resolvedAtMs: nowMs };
  return alert;
}

/** A resolved alert cannot be shelved and stays unchanged. */
export function shelveAlert(
  alert: AlertState,
  shelving: Shelving,
  nowMs: number,
  actor: Actor | null,
): AlertState {
  const shelvedUntilMs = checkedTimeMs(shelving.until);
  if (shelvedUntilMs <= nowMs) refuseUntil('must be in the future');
  if (shelvedUntilMs > nowMs + SHELVED_MS_MAX) refuseUntil(`must be within ${SHELVED_MS_MAX / DAY_MS} days`);
  if (alert.status === 'resolved') return alert;
  return {
    ...alert,
    shelvedUntilMs,
    shelveReason: shelving.reason,
    shelvedBy: shelving.shelved_by ?? null,
    shelvedWith: actor,
  };
}

/** Ends the shelving immediately. */
export const unshelveAlert = (alert: AlertState): AlertState =>
  alert.shelvedUntilMs === null || alert.status === 'resolved' ? alert : { ...alert, ...UNSHELVED };

function refuseUntil(message: string): never {
  throw new Refusal('invalid_input', `until ${message}`, [{ path: '/until', message }]);
}

/** The alert is neither acknowledged nor shelved. */
export const needsAttention = (
  { status, shelvedUntilMs }: Pick<AlertState, 'status' | 'shelvedUntilMs'>,
  nowMs: number,
): boolean =>
  (status === 'active' || status === 'cleared') && (shelvedUntilMs === null || shelvedUntilMs <= nowMs);

const STORED_STATUSES: readonly unknown[] = [...ALERT_STATUSES, 'pending'];

/** The stored form of an alert. */
export const ALERT_DOCUMENT = documentKind<AlertState>([], (content) => {
  const { status } = content;
  if (!STORED_STATUSES.includes(status)) throw new Error(`unknown status ${JSON.stringify(status)}`);
});
