import type { EmergencyStopSummary } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import { toIso } from '@granary/contract/time';
import { STOP_IN_FORCE, STOP_UNCONFIRMED } from './sentences.ts';
import { type CommandState, isEmergencyStop, isOpen } from './state.ts';

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
  throw new Refusal('emergency_stop_active', STOP_IN_FORCE);
}

/** Refuses the release while the device has not confirmed that it stands still; without an emergency stop a release is harmless. */
export function refuseRelease(commands: readonly CommandState[]): void {
  if (!commands.some(isUnconfirmedStop)) return;
  throw new Refusal('emergency_stop_unconfirmed', STOP_UNCONFIRMED);
}
