import type { Client } from '@granary/client';
import { ApiError } from '@granary/client';
import type { FleetDevice } from '@granary/contract/fleet/devices';

/** A device of either group; its group says which endpoints it has. */
export async function findDevice(client: Client, deviceId: string): Promise<FleetDevice> {
  for await (const device of client.fleet.devicesAll({ q: deviceId, include: 'readings' })) {
    if (device.device_id === deviceId) return device;
  }
  const message = `there is no device "${deviceId}", or the key may not see it`;
  throw new ApiError({ status: 404, code: 'device_not_found', message });
}
