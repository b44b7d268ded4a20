import type { AlertState } from '../alerts/lifecycle.ts';
import { needsAttention } from '../alerts/lifecycle.ts';
import { type FloodWindow, placeInWindow } from './flood-window.ts';
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

/** What happens with a notice that is due. */
export function dispatch(
  { step, notice, alert }: DueNotice,
  rule: RuleContent,
  { window, quietUntilMs, nowMs }: DispatchTime,
): Dispatch {
  if (!rule.enabled || targetsOf(rule, step).length === 0) return { action: 'drop' };
  if (notice.kind === 'not_acknowledged' && !(alert && needsAttention(alert, nowMs))) {
    return { action: 'drop' };
  }
  const severity = alert?.severity ?? notice.snapshot.alert.severity;
  const isExempt = severity === 'critical' && rule.quiet_hours?.critical_too === false;
  if (quietUntilMs !== null && !isExempt) return { action: 'hold', untilMs: quietUntilMs, window };
  if (notice.isHeld) return { action: 'tell', isHeld: true, window };
  const placed = placeInWindow(window, rule.summary, nowMs);
  return placed.heldUntilMs === null
    ? { action: 'tell', isHeld: false, window: placed.window }
    : { action: 'hold', untilMs: placed.heldUntilMs, window: placed.window };
}
