import type { AlertState } from '../alerts/lifecycle.ts';
import { needsAttention } from '../alerts/lifecycle.ts';
import { type FloodWindow, placeInWindow } from './flood-window.ts';
import type { Notice } from './notice.ts';
import { quietUntil } from './quiet-hours.ts';
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

/** What happens with a notice that is due. */
export function dispatch(
  { step, notice, alert }: DueNotice,
  rule: RuleContent,
  window: FloodWindow | null,
  nowMs: number,
): Dispatch {
  if (!rule.enabled || targetsOf(rule, step).length === 0) return { action: 'drop' };
  if (notice.kind === 'not_acknowledged' && !(alert && needsAttention(alert, nowMs)))
    return { action: 'drop' };
  const untilMs = quietEnd(rule, alert?.severity ?? notice.snapshot.alert.severity, nowMs);
  if (untilMs !== null) return { action: 'hold', untilMs, window };
  if (notice.isHeld) return { action: 'tell', isHeld: true, window };
  const placed = placeInWindow(window, rule.summary, nowMs);
  return placed.heldUntilMs === null
    ? { action: 'tell', isHeld: false, window: placed.window }
    : { action: 'hold', untilMs: placed.heldUntilMs, window: placed.window };
}

function quietEnd({ quiet_hours: quiet }: RuleContent, severity: string, nowMs: number): number | null {
  if (quiet === null || (severity === 'critical' && !quiet.critical_too)) return null;
  return quietUntil(quiet, nowMs);
}
