import type { EmergencyStopSummary } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import type { CommandState as ReportedState } from '@granary/contract/link/field-messages';
import { sentence } from '@granary/contract/sentences/codes';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { isDue, STOP_RESEND_MS } from '../jobs/polling.ts';
import { reasonText } from '../words.ts';
import { type CommandEnd, type CommandState, isEmergencyStop, isOpen } from './state.ts';

/** An emergency stop that the device has not confirmed after this time raises an alert. */
export const STOP_CONFIRMATION_MS_MAX = 5 * SECOND_MS;

/** Finds the emergency stop in force among the unfinished commands of a device. */
export const stopInForce = (commands: readonly CommandState[]): CommandState | undefined =>
  commands.find(({ latchedSinceMs }) => latchedSinceMs !== null);

/** A new emergency stop replaces the one in force and keeps the time since which the device has been stopped. */
export const replacingStop = (stop: CommandState, inForce: CommandState | undefined): CommandState =>
  inForce === undefined ? stop : { ...stop, latchedSinceMs: inForce.latchedSinceMs };

export const isUnconfirmedStop = (command: CommandState): boolean =>
  isEmergencyStop(command) && isOpen(command);

export function emergencyStopSummary(stop: CommandState | undefined): EmergencyStopSummary {
  if (stop === undefined || stop.latchedSinceMs === null) {
    return { active: false, confirmed: false, since: null, command_id: null };
  }
  return {
    active: true,
    confirmed: stop.status === 'succeeded',
    since: toIso(stop.latchedSinceMs),
    command_id: stop.commandId,
  };
}

/** Refuses any movement while an emergency stop is in force. */
export function refuseWhileStopped(commands: readonly CommandState[]): void {
  if (stopInForce(commands) === undefined) return;
  throw new Refusal('emergency_stop_active', sentence('stop_in_force'));
}

/** Refuses the release while the device has not confirmed that it stands still; without an emergency stop a release is harmless. */
export function refuseRelease(commands: readonly CommandState[]): void {
  if (!commands.some(isUnconfirmedStop)) return;
  throw new Refusal('emergency_stop_unconfirmed', sentence('stop_not_confirmed_yet'));
}

/** Only the report that the device stands still ends an emergency stop; any other answer is stored so that `status_detail` shows it. */
export function applyStopAcknowledgement(
  stop: CommandState,
  { accepted, reason }: { readonly accepted: boolean; readonly reason: string | null },
  nowMs: number,
): CommandState {
  return accepted
    ? markAccepted(stop, nowMs)
    : markUnanswered(stop, sentence('stop_refused', { reason: reasonText(reason) }), nowMs);
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
      return markUnanswered(stop, sentence('stop_failed', { reason: reasonText(reason) }), nowMs);
    case 'cancelled':
      return markUnanswered(stop, sentence('stop_cancelled', { reason: reasonText(reason) }), nowMs);
    case 'unknown':
      return markUnanswered(stop, sentence('stop_not_known', { reason: reasonText(reason) }), nowMs);
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

const markUnanswered = (
  stop: CommandState,
  lastAnswer: CommandEnd['message'],
  nowMs: number,
): CommandState => ({
  ...stop,
  status: 'sent',
  sentAtMs: stop.sentAtMs ?? nowMs,
  lastHeardAtMs: nowMs,
  lastAnswer,
});
