import type { CommandState as ReportedState } from '@granary/contract/link/field-messages';
import { SECOND_MS } from '@granary/contract/time';
import { isDue } from '../devices/polling.ts';
import { STOP_RESEND_MS } from '../devices/time-limits.ts';
import { stopAnswerText } from './sentences.ts';
import type { CommandState } from './state.ts';

/** An emergency stop that the device has not confirmed after this time raises an alert. */
export const STOP_CONFIRMATION_MS_MAX = 5 * SECOND_MS;

/** Only the report that the device stands still ends an emergency stop; any other answer is stored so that `status_detail` shows it. */
export function applyStopAcknowledgement(
  stop: CommandState,
  { accepted, reason }: { readonly accepted: boolean; readonly reason: string | null },
  nowMs: number,
): CommandState {
  return accepted
    ? markAccepted(stop, nowMs)
    : markUnanswered(stop, stopAnswerText('it refused the stop', reason), nowMs);
}

export function applyStopReport(
  before: CommandState,
  {
    state,
    reason,
    tsMs,
  }: { readonly state: ReportedState; readonly reason: string | null; readonly tsMs: number },
  nowMs: number,
): CommandState {
  const stop = { ...before, lastProgressTsMs: Math.max(before.lastProgressTsMs ?? tsMs, tsMs) };
  switch (state) {
    case 'executing':
      return markAccepted(stop, nowMs);
    case 'succeeded':
      return { ...markAccepted(stop, nowMs), status: 'succeeded', endedAtMs: nowMs };
    case 'failed':
      return markUnanswered(stop, stopAnswerText('it could not stop', reason), nowMs);
    case 'cancelled':
      return markUnanswered(stop, stopAnswerText('it cancelled the stop', reason), nowMs);
    case 'unknown':
      return markUnanswered(stop, stopAnswerText('it does not know the stop', reason), nowMs);
  }
}

/** The stop is sent as soon as the device is reachable and then every second, until the device confirms it. */
export function repeatStop(
  stop: CommandState,
  { isReachable, isNewSession }: { readonly isReachable: boolean; readonly isNewSession: boolean },
  nowMs: number,
): CommandState {
  if (stop.endedAtMs !== null || !isReachable) return stop;
  if (!isNewSession && !isDue(stop.resentAtMs, nowMs, STOP_RESEND_MS)) return stop;
  const status = stop.status === 'queued' ? 'sent' : stop.status;
  return { ...stop, status, sentAtMs: stop.sentAtMs ?? nowMs, resentAtMs: nowMs };
}

export const releaseStop = (stop: CommandState): CommandState =>
  stop.latchedSinceMs === null ? stop : { ...stop, latchedSinceMs: null };

/** After a refusal or failure the stop stays `sent`, so that a device that alternates between accepting and failing does not fill the event log. */
const markAccepted = (stop: CommandState, nowMs: number): CommandState => ({
  ...stop,
  status: stop.lastAnswer === null ? 'executing' : 'sent',
  sentAtMs: stop.sentAtMs ?? nowMs,
  acceptedAtMs: stop.acceptedAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
});

const markUnanswered = (stop: CommandState, lastAnswer: string, nowMs: number): CommandState => ({
  ...stop,
  status: 'sent',
  sentAtMs: stop.sentAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
  lastAnswer,
});
