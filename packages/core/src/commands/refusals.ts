import type { CommandRequest } from '@granary/contract/commands';
import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { Refusal } from '@granary/contract/errors';
import { sentence } from '@granary/contract/sentences/codes';
import { deviceStatus, type Presence } from '../devices/status.ts';
import { isInside } from '../geometry.ts';
import { refuseRelease, refuseWhileStopped } from './emergency-stop.ts';
import { COMMAND_RULES, type CommandState } from './state.ts';

/** The facts that decide whether a device may move now. */
export interface DeviceToMove {
  readonly presence: Presence;
  /** Contains the unfinished commands only. */
  readonly commands: readonly CommandState[];
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
}

export interface FieldDeviceAtCommand extends DeviceToMove {
  readonly configuration: FieldConfiguration;
}

/** Refuses a command before it is stored; an emergency stop is never refused. */
export function refuseCommand(request: CommandRequest, device: FieldDeviceAtCommand, nowMs: number): void {
  const { command } = request;
  if (command === 'emergency_stop') return;
  if (command === 'release_emergency_stop') {
    refuseRelease(device.commands);
  } else {
    refuseWhileStopped(device.commands);
    refuseInMaintenance(device, nowMs);
  }
  if (COMMAND_RULES[command].needsSession) refuseUnreachable(device, nowMs);
  if (command === 'return_to_base' && device.configuration.base === null) {
    throw new Refusal('no_base', sentence('no_base_to_return_to'));
  }
  if (command === 'move_to_coordinates') refuseOutside(request.parameters, device.configuration);
}

/** Refuses a movement that is not allowed, or that cannot be sent to the device at this moment. */
export function refuseMovement(device: DeviceToMove, nowMs: number): void {
  refuseWhileStopped(device.commands);
  refuseInMaintenance(device, nowMs);
  refuseUnreachable(device, nowMs);
}

function refuseInMaintenance({ presence }: DeviceToMove, nowMs: number): void {
  if (deviceStatus(presence, nowMs) !== 'maintenance') return;
  throw new Refusal('device_in_maintenance', sentence('device_is_maintained'));
}

/** A movement command must not wait for a connection, so the device needs a live session now. */
function refuseUnreachable({ isReachable, presence }: DeviceToMove, nowMs: number): void {
  if (isReachable) return;
  const isReporting = deviceStatus(presence, nowMs) !== 'offline';
  throw new Refusal('device_offline', sentence(isReporting ? 'device_not_listening' : 'device_is_offline'));
}

function refuseOutside(
  { latitude: lat, longitude: lng }: { readonly latitude: number; readonly longitude: number },
  { geofence }: FieldConfiguration,
): void {
  if (geofence === null || isInside(geofence, { lat, lng })) return;
  throw new Refusal('outside_geofence', sentence('target_outside_fence'), [
    { path: '/parameters', message: 'lies outside the geofence' },
  ]);
}
