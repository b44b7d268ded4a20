import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import { PeriodicWork } from '@granary/common/periodic-work';
import type { RequestTime } from '@granary/common/request-time';
import { DEVICE_GROUPS } from '@granary/contract/profiles/groups';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { UNLIMITED } from '@granary/core/keys';
import { DynamicSecurity, type KnownClient } from '@granary/link/external/access/dynamic-security';
import type { ExternalLinkOptions } from '@granary/link/external/external-link';
import type { Logger } from '../../process/logging/logger.ts';
import { type DeviceAccess, type DeviceSecret, GivenAccess } from './device-access.ts';

const PAGE_SIZE = 1_000;

const EVERY_MS = 10 * MINUTE_MS;
/** This is longer than the broker may take to answer the commands of one request. */
const SETTLED_MS = 10 * SECOND_MS;
const NAMED_MAX = 20;

interface DynamicAccessParts {
  readonly devices: Pick<App['devices'], 'find' | 'list'>;
  readonly logger: Logger;
  readonly settledMs?: number;
}

/** Keeps the clients of Mosquitto's dynamic security plugin equal to the registered devices. Several nodes may do the same. */
export class DynamicAccess implements DeviceAccess {
  unknownDevices: number | null = null;
  readonly #parts: DynamicAccessParts;
  readonly #security: DynamicSecurity;
  readonly #given: GivenAccess;
  readonly #stopping = new AbortController();
  readonly #rounds: PeriodicWork;
  #said = '';

  constructor(
    parts: DynamicAccessParts,
    options: Pick<ExternalLinkOptions, 'broker' | 'nodeName' | 'limits'>,
  ) {
    this.#parts = parts;
    this.#security = new DynamicSecurity({ ...options, changed: (error) => this.#changed(error) });
    this.#given = new GivenAccess({ ...parts, security: this.#security });
    this.#rounds = new PeriodicWork({
      doing: 'comparing the devices with the clients of the broker',
      everyMs: EVERY_MS,
      logger: parts.logger,
      run: () => this.#reconcile(),
    });
  }

  async start(): Promise<void> {
    await this.#security.start();
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#security.stop();
    await this.#rounds.stop();
  }

  readyToRegister(deviceIds: readonly string[], time: RequestTime | null): Promise<void> {
    return this.#given.readyToRegister(deviceIds, time);
  }

  readyToReplace(deviceId: string, time: RequestTime | null): Promise<void> {
    return this.#given.readyToReplace(deviceId, time);
  }

  give(secrets: readonly DeviceSecret[], time: RequestTime | null): Promise<void> {
    return this.#given.give(secrets, time);
  }

  removed(deviceId: string): void {
    this.#given.removed(deviceId);
  }

  /** A broker that comes back while the comparison with it still runs may have lost its clients since, so it is compared again. */
  #changed(error: Error | null): void {
    if (error === null) this.#rounds.wake();
    else this.#parts.logger.warn({ reason: error.message }, 'the broker takes no credentials of devices now');
  }

  async #reconcile(): Promise<void> {
    const { devices, logger, settledMs = SETTLED_MS } = this.#parts;
    try {
      const done = await reconcile({
        security: this.#security,
        devices,
        remove: (deviceId) => this.#given.remove(deviceId),
        revoke: (deviceId) => this.#given.revoke(deviceId),
        settled: () => sleep(settledMs, undefined, { signal: this.#stopping.signal, ref: false }),
      });
      this.unknownDevices = done.unknown.length;
      this.#say(done);
    } catch (error) {
      // The comparison is repeated when the broker is connected again, and later.
      if (this.#stopping.signal.aborted || !this.#security.isReady) return;
      logger.warn({ err: error }, 'the devices could not be compared with the clients of the broker');
    }
  }

  /** Logs the differences, but only once while they stay the same. */
  #say({ unknown, removed, unexpected }: Reconciled): void {
    const { logger } = this.#parts;
    if (removed.length > 0)
      logger.info(named(removed), 'clients of devices that are not registered were removed from the broker');
    const said = JSON.stringify([unknown, unexpected]);
    if (said === this.#said) return;
    this.#said = said;
    if (unknown.length > 0)
      logger.warn(
        named(unknown),
        'the broker does not know the secrets of these devices; replace their credentials',
      );
    if (unexpected.length > 0)
      logger.error(
        named(unexpected),
        'most clients of the broker are of no device in this database, so nothing was removed; is it the right database?',
      );
  }
}

const named = (deviceIds: readonly string[]) => ({
  count: deviceIds.length,
  devices: deviceIds.slice(0, NAMED_MAX),
});

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

interface Reconciled {
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
 * Looks once more at devices whose secret the broker did not have, because a request may have been about to give it. The client
 * of a device is removed when the broker still has a replaced secret, so that nobody can log in with it.
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
      const filter = { group, limits: UNLIMITED, afterDeviceId, limit: PAGE_SIZE };
      const page = await devices.list(filter);
      for (const { deviceId, secretHash } of page) hashes.set(deviceId, secretHash);
      if (page.length < PAGE_SIZE) break;
      afterDeviceId = page.at(-1)?.deviceId ?? null;
    }
  }
  return hashes;
}

/** The clients that the database does not know, not even as removed devices. */
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
