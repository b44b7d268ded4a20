import type { NotificationRule } from '@granary/contract/notifications';
import { SECOND_MS } from '@granary/contract/time';

/** How many notices of one step of a rule, critical or not, were told immediately, and how many wait for the summary at its end. */
export interface FloodWindow {
  readonly startMs: number;
  readonly atOnce: number;
  readonly held: number;
}

type Summary = NotificationRule['summary'];

/** Critical alerts wait for a minute at most, whatever the rule says. */
const SHORT_WINDOW_SECONDS = 60;

export const shortSummary = (summary: Summary): Summary => ({
  ...summary,
  window_seconds: Math.min(summary.window_seconds, SHORT_WINDOW_SECONDS),
});

interface Placed {
  readonly window: FloodWindow;
  /** `null`: it is told immediately. */
  readonly heldUntilMs: number | null;
}

/** Counts one more notice: the first ones are told immediately, the others wait for the end of the window. */
export function placeInWindow(before: FloodWindow | null, summary: Summary, nowMs: number): Placed {
  const window = currentWindow(before, summary, nowMs) ?? { startMs: nowMs, atOnce: 0, held: 0 };
  if (window.atOnce < summary.at_once_max) {
    return { window: { ...window, atOnce: window.atOnce + 1 }, heldUntilMs: null };
  }
  const heldUntilMs = window.startMs + lengthMs(summary);
  return { window: { ...window, held: window.held + 1 }, heldUntilMs };
}

const lengthMs = ({ window_seconds: seconds }: Summary): number => seconds * SECOND_MS;

/** After a window with a summary everything waits for the next summary, until a window has passed without one. */
function currentWindow(window: FloodWindow | null, summary: Summary, nowMs: number): FloodWindow | null {
  // A clock that was put back must not make notices wait for hours.
  if (window === null || nowMs < window.startMs) return null;
  const endMs = window.startMs + lengthMs(summary);
  if (nowMs < endMs) return window;
  const next = { startMs: endMs, atOnce: summary.at_once_max, held: 0 };
  return window.held > 0 && nowMs < endMs + lengthMs(summary) ? next : null;
}

/** The windows of a rule by name. */
export type FloodWindows = Readonly<Record<string, FloodWindow>>;
