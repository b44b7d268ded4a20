import type { StoredConfiguration } from '@granary/app/configuration/configuration';
import type { Delivery, DeviceLink } from '@granary/link/port';

/** Reaches a connected device now; any other gets it when it connects and subscribes. */
export function sendConfiguration(
  link: Pick<DeviceLink, 'sendConfiguration'>,
  deviceId: string,
  { configuration, version }: StoredConfiguration,
): Delivery {
  return link.sendConfiguration(deviceId, { version, ...configuration });
}
