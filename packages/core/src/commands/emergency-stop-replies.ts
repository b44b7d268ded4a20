import type { CommandState as ReportedState } from '@granary/contract/link/field-messages';
import { SECOND_MS } from '@granary/contract/time';
import { isDue } from '../devices/polling.ts';
import { STOP_RESEND_MS } from '../operations/transitions.ts';
import type { CommandState } from './state.ts';

/** Without a confirmation for this long after the request, an alert tells people. */
export const STOP_CONFIRMATION_MS_MAX = 5 * SECOND_MS;

/** Only the device's report that it stands still ends an emergency stop; every other answer is kept for people to read. */
export function answeredStop(
  stop: CommandState,
  { accepted, reason }: { readonly accepted: boolean; readonly reason: string | null },
  nowMs: number,
): CommandState {
  return accepted ? underWay(stop, nowMs) : unconfirmed(stop, said('it refused the stop', reason), nowMs);
}

export function reportedStop(
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
      return underWay(stop, nowMs);
    case 'succeeded':
      return { ...underWay(stop, nowMs), status: 'succeeded', endedAtMs: nowMs };
    case 'failed':
      return unconfirmed(stop, said('it could not stop', reason), nowMs);
    case 'cancelled':
      return unconfirmed(stop, said('it gave the stop up', reason), nowMs);
    case 'unknown':
      return unconfirmed(stop, said('it does not know the stop', reason), nowMs);
  }
}

/** At once when the device is back, and every second while it is there, for as long as it has not confirmed. */
export function repeatStop(
  stop: CommandState,
  { deviceOnline, isNewSession }: { readonly deviceOnline: boolean; readonly isNewSession: boolean },
  nowMs: number,
): CommandState {
  if (stop.endedAtMs !== null || !deviceOnline) return stop;
  if (!isNewSession && !isDue(stop.resentAtMs, nowMs, STOP_RESEND_MS)) return stop;
  const status = stop.status === 'queued' ? 'sent' : stop.status;
  return { ...stop, status, sentAtMs: stop.sentAtMs ?? nowMs, resentAtMs: nowMs };
}

export const releaseStop = (stop: CommandState): CommandState =>
  stop.latchedSinceMs === null ? stop : { ...stop, latchedSinceMs: null };

/** After a "no" it stays `sent`, so that a device that accepts and fails in turn does not fill the event log. */
const underWay = (stop: CommandState, nowMs: number): CommandState => ({
  ...stop,
  status: stop.lastAnswer === null ? 'executing' : 'sent',
  sentAtMs: stop.sentAtMs ?? nowMs,
  acceptedAtMs: stop.acceptedAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
});

const unconfirmed = (stop: CommandState, lastAnswer: string, nowMs: number): CommandState => ({
  ...stop,
  status: 'sent',
  sentAtMs: stop.sentAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
  lastAnswer,
});

const said = (what: string, reason: string | null): string =>
  reason === null ? what : `${what} (${reason})`;
