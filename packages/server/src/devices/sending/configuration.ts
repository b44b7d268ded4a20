import type { StoredConfiguration } from '@granary/app/configuration/configuration';
import { sentConfiguration } from '@granary/contract/link/configuration-message';
import type { DeviceLink } from '@granary/link/port';

/** A connected device receives the configuration now; any other receives it when it connects and subscribes. */
export function sendConfiguration(
  link: Pick<DeviceLink, 'sendConfiguration'>,
  deviceId: string,
  { configuration, version }: StoredConfiguration,
): void {
  link.sendConfiguration(deviceId, { version, ...sentConfiguration(configuration) });
}
