import type { Client } from '@granary/client';
import { ApiError } from '@granary/client';
import type { FleetDevice, FleetDeviceQuery } from '@granary/contract/fleet/devices';

/** A device of either group; its group says which endpoints it has. */
export async function findDevice(client: Client, deviceId: string): Promise<FleetDevice> {
  return (await lookUp(client, deviceId, { include: 'readings' })) ?? unknown(deviceId);
}

/** Also finds one that was not removed, about which the service says so. */
export async function findRemovedDevice(client: Client, deviceId: string): Promise<FleetDevice> {
  return (await lookUp(client, deviceId, { removed: 'true' })) ?? (await findDevice(client, deviceId));
}

async function lookUp(
  client: Client,
  deviceId: string,
  query: FleetDeviceQuery,
): Promise<FleetDevice | undefined> {
  for await (const device of client.fleet.devicesAll({ q: deviceId, ...query })) {
    if (device.device_id === deviceId) return device;
  }
  return undefined;
}

function unknown(deviceId: string): never {
  const message = `there is no device "${deviceId}", or the key may not see it`;
  throw new ApiError({ status: 404, code: 'device_not_found', message });
}
