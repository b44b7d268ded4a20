import type { SiloConfiguration } from '@granary/contract/configuration';
import type { DeviceLink } from '@granary/link/port';

interface Versioned {
  readonly configuration: SiloConfiguration;
  readonly version: number;
}

/** Retained on the device's topic, so that it also reaches a device that subscribes later. */
export function sendConfiguration(
  link: DeviceLink,
  deviceId: string,
  { configuration, version }: Versioned,
): Promise<void> {
  return link.publish(deviceId, 'config', { version, ...configuration });
}
