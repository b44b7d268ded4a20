import { type AlertState, needsAttention } from '../alerts/lifecycle.ts';
import { type FloodWindow, placeInWindow, shortSummary } from './flood-window.ts';
import type { Notice } from './notice.ts';
import { type RuleContent, targetsOf } from './rule.ts';

/** What decides about an alert; known also of an alert whose document cannot be read. */
export type AlertColumns = Pick<AlertState, 'status' | 'severity' | 'shelvedUntilMs'>;

/** A notice that is due, with the alert as it is now; `undefined` if it is no longer stored. */
export interface DueNotice {
  readonly step: number;
  readonly notice: Notice;
  readonly alert: AlertColumns | undefined;
}

export type Dispatch =
  /** `isHeld`: together with the others that have waited. */
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

/** What happens with a notice that is due; `window` is the one of its name. */
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
  const placed = placeInWindow(window, summary, nowMs);
  return placed.heldUntilMs === null
    ? { action: 'tell', isHeld: false, window: placed.window }
    : { action: 'hold', untilMs: placed.heldUntilMs, window: placed.window };
}
