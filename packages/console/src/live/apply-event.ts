import type { EventType, LoggedEvent } from '@granary/client';
import type { FleetAlert, FleetCommand, FleetOperation } from '@granary/contract/fleet/records';
import type { Site } from './site.ts';

/** What has to be read from the service, because the event does not contain the whole resource. */
export interface Refresh {
  device(deviceId: string): void;
  mission(deviceId: string, missionId: string): void;
}

const IS_ABOUT_DEVICE: ReadonlySet<EventType> = new Set<EventType>([
  'device.registered',
  'device.updated',
  'device.maintenance_changed',
  'device.restored',
  'device.status_changed',
  'configuration.changed',
]);

/** Brings the site up to date with one event. Events of the past that follow a newer state are corrected by those after them. */
export function applyEvent(
  { type, device_id: deviceId, data }: LoggedEvent,
  site: Site,
  refresh: Refresh,
): void {
  if (deviceId === null) return;
  const record = { device_id: deviceId, ...data };
  if (type.startsWith('alert.')) site.alerts.put(record as unknown as FleetAlert);
  else if (type.startsWith('operation.')) site.operations.put(record as unknown as FleetOperation);
  else if (type.startsWith('command.')) site.commands.put(record as unknown as FleetCommand);
  else if ('mission_id' in data) refresh.mission(deviceId, data.mission_id);
  else if (type === 'device.removed') site.devices.remove(deviceId);
  else if (IS_ABOUT_DEVICE.has(type)) refresh.device(deviceId);
}
