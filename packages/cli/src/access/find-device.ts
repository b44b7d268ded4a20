import { ApiError, type Client } from '@granary/client';
import type { FleetDevice, FleetDeviceQuery } from '@granary/contract/fleet';

/** A device of either group; its group says which endpoints it has. */
export async function findDevice(client: Client, deviceId: string): Promise<FleetDevice> {
  return (await lookUp(client, deviceId, { include: 'readings' })) ?? (await unknown(client, deviceId));
}

/** Finds a removed device; one that was not removed is returned, too, and the service then refuses the request with that reason. */
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

async function unknown(client: Client, deviceId: string): Promise<never> {
  const message = `there is no device "${deviceId}", or the key may not see it${await hint(client, deviceId)}`;
  throw new ApiError({ status: 404, code: 'device_not_found', message });
}

/** Names a similar id to a person who made a mistake in an id; nothing is ever done to that device instead. */
async function hint(client: Client, deviceId: string): Promise<string> {
  try {
    if ((await lookUp(client, deviceId, { removed: 'true' })) !== undefined)
      return `; it was removed, and granary device restore ${deviceId} brings it back`;
    const ids = (await Array.fromAsync(client.fleet.devicesAll())).map(({ device_id }) => device_id);
    const near = nearest(deviceId, ids);
    return near === null ? '' : `; did you mean ${near}?`;
  } catch {
    return '';
  }
}

/** The candidate with the fewest different characters; `null` if none is similar. */
function nearest(text: string, candidates: readonly string[]): string | null {
  const most = Math.max(1, Math.floor(text.length / 3));
  let best: { readonly candidate: string; readonly distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (distance <= most && (best === null || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? null;
}

/** The number of characters that must be inserted, removed or replaced. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (other[at - 1] === character ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
