import { backoffMs } from '@granary/common/patience';
import { instantOf, localMs } from '@granary/common/time-zone';
import { type NotificationRule, WEEKDAYS } from '@granary/contract/notifications';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { type AlertState, needsAttention } from '../alerts/lifecycle.ts';
import type { Notice } from './notice.ts';
import { type RuleContent, targetsOf } from './rule.ts';

const PAUSES = { firstMs: MINUTE_MS, longestMs: HOUR_MS };
/** After this time a message is not tried any more: the list of alerts shows an alert of yesterday. */
const TRIED_FOR_MS = DAY_MS;
/** Critical alerts wait for a minute at most, whatever the rule says. */
const SHORT_WINDOW_SECONDS = 60;

/** The columns that decide about an alert; they can be read even if the document of the alert cannot. */
export type AlertColumns = Pick<AlertState, 'status' | 'severity' | 'shelvedUntilMs'>;

/** A notice that is due, with the alert as it is now; `undefined` if it is no longer stored. */
export interface DueNotice {
  readonly step: number;
  readonly notice: Notice;
  readonly alert: AlertColumns | undefined;
}

export type Dispatch =
  /** `isHeld` means that the notice is told together with the others that have waited. */
  | { readonly action: 'tell'; readonly isHeld: boolean; readonly window: FloodWindow | null }
  | { readonly action: 'hold'; readonly untilMs: number; readonly window: FloodWindow | null }
  | { readonly action: 'drop' };

export interface DispatchTime {
  readonly window: FloodWindow | null;
  /** The end of the present quiet hours of the rule, which is the same for all its notices. */
  readonly quietUntilMs: number | null;
  readonly nowMs: number;
}

const severityOf = ({ notice, alert }: DueNotice) => alert?.severity ?? notice.snapshot.alert.severity;

const isUrgent = (due: DueNotice): boolean => severityOf(due) === 'critical' && due.notice.kind !== 'over';

/** Critical alerts have a flood window of their own, because a flood of others must not delay them. */
export const windowNameOf = (due: DueNotice): string =>
  isUrgent(due) ? `${due.step}-critical` : `${due.step}`;

/** Decides about a notice that is due; `window` is the one named by `windowNameOf`. */
export function dispatch(
  due: DueNotice,
  rule: RuleContent,
  { window, quietUntilMs, nowMs }: DispatchTime,
): Dispatch {
  const { step, notice, alert } = due;
  if (!rule.enabled || targetsOf(rule, step).length === 0) return { action: 'drop' };
  if (notice.kind === 'not_acknowledged' && !(alert && needsAttention(alert, nowMs))) {
    return { action: 'drop' };
  }
  const isExempt = severityOf(due) === 'critical' && rule.quiet_hours?.critical_too === false;
  if (quietUntilMs !== null && !isExempt) return { action: 'hold', untilMs: quietUntilMs, window };
  if (notice.isHeld) return { action: 'tell', isHeld: true, window };
  const summary = isUrgent(due) ? shortSummary(rule.summary) : rule.summary;
  const { deviceId } = notice.snapshot;
  const placed = placeInWindow(window, { deviceId, summary, nowMs });
  return placed.heldUntilMs === null
    ? { action: 'tell', isHeld: false, window: placed.window }
    : { action: 'hold', untilMs: placed.heldUntilMs, window: placed.window };
}

/** When a message that could not be sent is tried again; `null` if it is not tried again. */
export function nextAttemptAtMs(createdAtMs: number, attempts: number, nowMs: number): number | null {
  const pauseMs = backoffMs(attempts, PAUSES);
  return nowMs + pauseMs < createdAtMs + TRIED_FOR_MS ? nowMs + pauseMs : null;
}

export type QuietHoursOfRule = NonNullable<NotificationRule['quiet_hours']>;

/** The end of the quiet hours that hold at this time; `null` outside them. */
export function quietUntil(quiet: QuietHoursOfRule, nowMs: number): number | null {
  const { time_zone: timeZone, days } = quiet;
  const today = Math.floor(localMs(nowMs, timeZone) / DAY_MS) * DAY_MS;
  const fromMs = timeOfDayMs(quiet.from);
  const toMs = timeOfDayMs(quiet.to);
  // Quiet hours that pass midnight may have begun yesterday.
  for (const day of [today - DAY_MS, today]) {
    if (!days.includes(weekdayOf(day))) continue;
    const endDay = toMs <= fromMs ? day + DAY_MS : day;
    const end = instantOf(endDay + toMs, timeZone);
    if (nowMs >= instantOf(day + fromMs, timeZone) && nowMs < end) return end;
  }
  return null;
}

function timeOfDayMs(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
}

/** 1 January 1970 was a Thursday. */
const weekdayOf = (day: number): (typeof WEEKDAYS)[number] =>
  WEEKDAYS[(((day / DAY_MS + 3) % 7) + 7) % 7] ?? 'mon';

/** The notices of one step of a rule, critical or not, that were told immediately, and the number that waits for the summary at the end. */
export interface FloodWindow {
  readonly startMs: number;
  /** In the window before enough notices were told already, so every notice waits for the summary. */
  readonly isFull: boolean;
  /** The devices of the notices that were told immediately. */
  readonly told: readonly string[];
  /** How many notices wait because enough were told. */
  readonly held: number;
  /** Devices that have sent more than their share in this window; their further notices wait, and take no place of others. */
  readonly chattering: readonly string[];
  /** The chattering devices of the window before; all their notices wait. */
  readonly chatteredBefore: readonly string[];
}

type Summary = NotificationRule['summary'];

const shortSummary = (summary: Summary): Summary => ({
  ...summary,
  window_seconds: Math.min(summary.window_seconds, SHORT_WINDOW_SECONDS),
});

interface Placed {
  readonly window: FloodWindow;
  /** `null` if the notice is told immediately. */
  readonly heldUntilMs: number | null;
}

/** How many notices of one device are told immediately: half of all, so that a chattering device leaves places for others. */
const shareOfDevice = ({ at_once_max: max }: Summary): number => Math.max(1, Math.floor(max / 2));

/** Counts one more notice: the first ones are told immediately, the others wait for the end of the window. */
export function placeInWindow(
  before: FloodWindow | null,
  {
    deviceId,
    summary,
    nowMs,
  }: { readonly deviceId: string; readonly summary: Summary; readonly nowMs: number },
): Placed {
  const window = currentWindow(before, summary, nowMs) ?? newWindow(nowMs);
  const { isFull, told, held, chattering, chatteredBefore } = window;
  const heldUntilMs = window.startMs + lengthMs(summary);
  const ownCount = told.filter((id) => id === deviceId).length;
  if (chatteredBefore.includes(deviceId) || ownCount >= shareOfDevice(summary)) {
    const devices = chattering.includes(deviceId) ? chattering : [...chattering, deviceId];
    return { window: { ...window, chattering: devices }, heldUntilMs };
  }
  return isFull || told.length >= summary.at_once_max
    ? { window: { ...window, held: held + 1 }, heldUntilMs }
    : { window: { ...window, told: [...told, deviceId] }, heldUntilMs: null };
}

const lengthMs = ({ window_seconds: seconds }: Summary): number => seconds * SECOND_MS;

const newWindow = (startMs: number): FloodWindow => ({
  startMs,
  isFull: false,
  told: [],
  held: 0,
  chattering: [],
  chatteredBefore: [],
});

/** After a summary, further notices wait for the next one: all, or those of chattering devices, until a window has passed without one. */
function currentWindow(window: FloodWindow | null, summary: Summary, nowMs: number): FloodWindow | null {
  // A clock that was put back must not make notices wait for hours.
  if (window === null || nowMs < window.startMs) return null;
  const endMs = window.startMs + lengthMs(summary);
  if (nowMs < endMs) return window;
  const { held, chattering } = window;
  if ((held === 0 && chattering.length === 0) || nowMs >= endMs + lengthMs(summary)) return null;
  return { ...newWindow(endMs), isFull: held > 0, chatteredBefore: chattering };
}

/** The windows of a rule by name. */
export type FloodWindows = Readonly<Record<string, FloodWindow>>;
