import type { DevicePurge } from '@granary/contract/devices/devices';
import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { type CommandState, isOpen } from '../commands/state.ts';
import { isMissionOver, type MissionState } from '../missions/state.ts';
import type { NotificationContent } from '../notifications/record.ts';
import { operationName } from '../operations/sentences.ts';
import { holdsDevice, type OperationState } from '../operations/state.ts';

/** A refusal names at most this many jobs. */
const NAMED_MAX = 5;
/** A message that was under way when the device was removed is stored by then, and so removed, too. */
export const PURGE_DELAY_MS = 10 * SECOND_MS;

interface JobsOfDevice {
  readonly operations: readonly OperationState[];
  /** The unfinished commands. */
  readonly commands: readonly CommandState[];
  readonly missions: readonly MissionState[];
}

/** A device is removed only when nothing runs on it, waits for it, or has an unknown outcome. */
export function refuseBusyRemoval({ operations, commands, missions }: JobsOfDevice): void {
  const busy = [
    ...operations
      .filter(holdsDevice)
      .map((state) =>
        sentence('operation_in_state', { operation: operationName(state), status: state.status }),
      ),
    ...commands
      .filter((command) => isOpen(command) || command.status === 'timed_out')
      .map(({ command, status }) => sentence('command_in_state', { command, status })),
    ...missions
      .filter((mission) => !isMissionOver(mission))
      .map(({ name, status }) => sentence('mission_in_state', { mission: name, status })),
  ];
  if (busy.length === 0) return;
  const more = busy.length > NAMED_MAX ? busy.length - NAMED_MAX : null;
  throw new Refusal('device_busy', sentence('device_is_busy', { jobs: busy.slice(0, NAMED_MAX), more }));
}

interface RemovableDevice {
  readonly deviceId: string;
  readonly removedAtMs: number | null;
  /** Given while the records of the device are being removed. */
  readonly purge?: Purge;
}

/** How a removed device becomes usable again, or why it cannot. */
export const wayBack = ({ deviceId, purge }: Omit<RemovableDevice, 'removedAtMs'>): string =>
  purge === undefined
    ? `bring it back with POST …/devices/${deviceId}/restore or "granary device restore ${deviceId}"`
    : 'its records are being removed, so it cannot be brought back; its id is free when they are';

/** Refuses every change of a removed device, whose records can only be read. */
export function refuseRemoved(device: RemovableDevice): void {
  if (device.removedAtMs === null) return;
  throw new Refusal(
    'device_removed',
    `the device was removed at ${toIso(device.removedAtMs)}; ${wayBack(device)}`,
  );
}

export function refuseRestoration(device: RemovableDevice): void {
  if (device.removedAtMs === null) {
    throw new Refusal('device_not_removed', `device ${device.deviceId} was not removed`);
  }
  if (device.purge !== undefined) refuseRemoved(device);
}

/** The removal of all records of a device. */
export interface Purge {
  readonly startedAtMs: number;
  readonly rowsRemoved: number;
}

export const purgeRecord = (
  { startedAtMs, rowsRemoved }: Purge,
  status: DevicePurge['status'],
): DevicePurge => ({ status, rows_removed: rowsRemoved, started_at: toIso(startedAtMs) });

/** Whether a message is about this device only. A message about further devices is kept, and so is one that does not list all its alerts. */
export const tellsOnlyOf = (deviceId: string, { alerts, alertCount }: NotificationContent): boolean =>
  alerts.length > 0 && alerts.length === alertCount && alerts.every((alert) => alert.device_id === deviceId);
