import type { EmergencyStopSummary } from '@granary/contract/devices';
import { Refusal } from '@granary/contract/errors';
import { toIso } from '@granary/contract/time';
import { type CommandState, isEmergencyStop, isOpen } from './state.ts';

/** The emergency stop that keeps a device from moving, among its commands that need further ticks. */
export const stopInForce = (commands: readonly CommandState[]): CommandState | undefined =>
  commands.find(({ latchedSinceMs }) => latchedSinceMs !== null);

/** A new emergency stop takes the place of the one in force, which has been so since then. */
export const inPlaceOf = (stop: CommandState, inForce: CommandState | undefined): CommandState =>
  inForce === undefined ? stop : { ...stop, latchedSinceMs: inForce.latchedSinceMs };

export const isUnconfirmedStop = (command: CommandState): boolean =>
  isEmergencyStop(command) && isOpen(command);

/** As callers see it. */
export function emergencyStopSummary(stop: CommandState | undefined): EmergencyStopSummary {
  if (stop === undefined || stop.latchedSinceMs === null) {
    return { active: false, confirmed: false, since: null, command_id: null };
  }
  return {
    active: true,
    confirmed: !isOpen(stop),
    since: toIso(stop.latchedSinceMs),
    command_id: stop.commandId,
  };
}

/** Refuses whatever could move a device that an emergency stop keeps from moving. */
export function refuseWhileStopped(commands: readonly CommandState[]): void {
  const stop = stopInForce(commands);
  if (stop === undefined) return;
  throw new Refusal(
    'emergency_stop_active',
    `emergency stop ${stop.commandId} is in force: nothing may move until somebody sends release_emergency_stop`,
  );
}

/** Releases only what is known to stand still. Without an emergency stop in force there is nothing to refuse. */
export function refuseRelease(commands: readonly CommandState[]): void {
  const stop = commands.find(isUnconfirmedStop);
  if (stop === undefined) return;
  throw new Refusal(
    'emergency_stop_unconfirmed',
    `the device has not confirmed emergency stop ${stop.commandId} yet, so it may still move; it can be released once the stop is confirmed`,
  );
}
