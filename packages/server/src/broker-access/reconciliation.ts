import type { App } from '@granary/app/app';
import { DEVICE_GROUPS } from '@granary/contract/devices/groups';
import type { DynamicSecurity, KnownClient } from '@granary/link/external/access/dynamic-security';

const PAGE_SIZE = 1_000;

interface ReconciliationParts {
  readonly security: Pick<DynamicSecurity, 'clients' | 'roles' | 'find' | 'correctRole'>;
  readonly devices: Pick<App['devices'], 'list' | 'find'>;
  /** Removes the client and the role of a device that is not registered. */
  readonly remove: (deviceId: string) => Promise<void>;
  /** Removes a client that was given a secret which was replaced since. */
  readonly revoke: (deviceId: string) => Promise<void>;
  /** Resolves when every request that was storing a secret has given it to the broker. */
  readonly settled: () => Promise<void>;
}

export interface Reconciled {
  /** Registered devices that the broker would not let in. */
  readonly unknown: readonly string[];
  readonly removed: readonly string[];
  /** Clients that were left alone because most clients of the broker are of no device of this database. */
  readonly unexpected: readonly string[];
}

/** Makes the clients of the broker those of the registered devices, and finds the devices that it would not let in. */
export async function reconcile(parts: ReconciliationParts): Promise<Reconciled> {
  const { security, devices } = parts;
  const clients = await security.clients();
  const roles = await security.roles();
  const registered = await hashesOf(devices);
  const surplus = [...clients.values()].filter(({ deviceId }) => !registered.has(deviceId));
  const strangers = await strangersOf(devices, surplus);
  const isForeign = strangers.length > clients.size / 2;
  const removed = surplus.filter((client) => !isForeign || !strangers.includes(client));
  for (const { deviceId } of removed) await parts.remove(deviceId);
  for (const [deviceId, isRight] of roles) {
    if (!registered.has(deviceId) && !clients.has(deviceId) && !isForeign) await parts.remove(deviceId);
    else if (!isRight && registered.has(deviceId)) await security.correctRole(deviceId);
  }
  const differing = [...registered].filter(([deviceId, hash]) => clients.get(deviceId)?.secretHash !== hash);
  return {
    unknown: await stillUnknown(parts, differing),
    removed: removed.map(({ deviceId }) => deviceId),
    unexpected: isForeign ? strangers.map(({ deviceId }) => deviceId) : [],
  };
}

/**
 * Looks once more at devices whose secret the broker did not have, because it may have been about to get it. With a secret that
 * was replaced it lets nobody in any more.
 */
async function stillUnknown(
  parts: ReconciliationParts,
  differing: readonly (readonly [deviceId: string, secretHash: string])[],
): Promise<string[]> {
  const { security, devices, revoke, settled } = parts;
  if (differing.length > 0) await settled();
  const unknown: string[] = [];
  for (const [deviceId, hashBefore] of differing) {
    const device = await devices.find(deviceId);
    const client = await security.find(deviceId);
    if (device === undefined || device.removedAtMs !== null) continue;
    const isClient = client !== null && client !== 'foreign';
    if (isClient && client.secretHash === device.secretHash) continue;
    if (isClient && device.secretHash === hashBefore) await revoke(deviceId);
    unknown.push(deviceId);
  }
  return unknown;
}

async function hashesOf(devices: Pick<App['devices'], 'list'>): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const group of DEVICE_GROUPS) {
    for (let afterDeviceId: string | null = null; ; ) {
      const filter = { group, facilities: null, deviceIds: null, afterDeviceId, limit: PAGE_SIZE };
      const page = await devices.list(filter);
      for (const { deviceId, secretHash } of page) hashes.set(deviceId, secretHash);
      if (page.length < PAGE_SIZE) break;
      afterDeviceId = page.at(-1)?.deviceId ?? null;
    }
  }
  return hashes;
}

/** Clients of which the database has never heard, not even as removed. */
async function strangersOf(
  devices: Pick<App['devices'], 'find'>,
  clients: readonly KnownClient[],
): Promise<KnownClient[]> {
  const strangers: KnownClient[] = [];
  for (const client of clients) {
    if ((await devices.find(client.deviceId)) === undefined) strangers.push(client);
  }
  return strangers;
}
