import type { DeviceLink } from '@granary/link/port';
import type { StoredConfiguration } from '@granary/store/configuration';

/** Retained on the device's topic, so that it also reaches a device that subscribes later. */
export function sendConfiguration(
  link: DeviceLink,
  deviceId: string,
  { configuration, version }: StoredConfiguration,
): Promise<void> {
  return link.publish(deviceId, 'config', { version, ...configuration });
}
