import type { App } from '@granary/app/app';
import type { KnownDevice, StoredDevice } from '@granary/app/device-rows';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { BoundedMap } from '@granary/common/bounded-map';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import type { LinkDevice } from '@granary/link/port';
import { FollowedCopy, readInParts } from '../process/followed-copy.ts';
import { matchesHash } from '../process/keys/secrets.ts';
import type { Logger } from '../process/logging/logger.ts';
import { lateIfFailing, type UrgentDeadline } from './sending/urgent-deadline.ts';

/** A further device replaces the one that was read longest ago. */
const DEVICES_MAX = 250_000;
/** The event log tells every change, unless it keeps events for less time than this node was without the storage. */
const ALL_EVERY_MS = HOUR_MS;
/** After this time without an answer of the storage, a login is checked against the last known secret. */
const LOGIN_LOOK_UP_MS = 75;
/** How long a last known secret is accepted while the storage does not answer. */
export const SECRET_LAST_KNOWN_MS_MAX = DAY_MS;

export interface DirectoryEntry {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly profile: ProfileName;
  readonly facility: string;
  /** `null` for a device that is not a silo. */
  readonly capacityKg: number | null;
}

/** An entry is a single object without further objects in it, because there are many entries. */
interface Remembered extends DirectoryEntry {
  /** `null` after the secret was replaced, until it is read again, and for a removed device. */
  readonly secretHash: string | null;
  readonly readAtMs: number;
  /** The value of `#round` when the device was read last. */
  readonly round: number;
}

type DeviceReads = Pick<App['devices'], 'find' | 'known' | 'knownById'>;

interface DirectoryParts {
  readonly app: {
    readonly devices: DeviceReads;
    readonly urgent: { readonly devices: Pick<App['devices'], 'find'> };
  };
  readonly logger: Logger;
  readonly now: () => number;
}

const CHANGES_SECRET: ReadonlySet<EventType> = new Set<EventType>([
  'device.credentials_replaced',
  'device.removed',
  'device.restored',
]);

/** These events change what the directory has remembered of a device. */
const CHANGES_DEVICE: ReadonlySet<EventType> = new Set<EventType>([
  'device.registered',
  'device.updated',
  'device.purged',
  ...CHANGES_SECRET,
]);

/** All devices, for stops and logins that must not wait for the storage. */
export class DeviceDirectory {
  readonly #parts: DirectoryParts;
  readonly #copy: FollowedCopy;
  readonly #remembered = new BoundedMap<string, Remembered>(DEVICES_MAX);
  #replacementsSeen = 0;
  #round = 0;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#copy = new FollowedCopy({
      doing: 'reading the devices',
      allEveryMs: ALL_EVERY_MS,
      readAll: () => this.#readAll(),
      readChanged: (deviceIds) => this.#readChanged(deviceIds),
      logger: parts.logger,
    });
  }

  /** Resolves when every device is known. */
  start(): Promise<void> {
    return this.#copy.start();
  }

  stop(): Promise<void> {
    return this.#copy.stop();
  }

  get size(): number {
    return this.#remembered.size;
  }

  async find(deviceId: string): Promise<StoredDevice | undefined> {
    return await this.#find(this.#parts.app.devices, deviceId);
  }

  /** Finds a device for a request, with the reads of the request. */
  async findBy(
    { devices }: { readonly devices: Pick<DeviceReads, 'find'> },
    deviceId: string,
  ): Promise<StoredDevice | undefined> {
    return await this.#find(devices, deviceId);
  }

  /** Returns the last known device if the storage does not answer in time; refuses if there is none. */
  async findUrgently(deviceId: string, deadline: UrgentDeadline): Promise<DirectoryEntry | undefined> {
    const lookUp = this.#find(this.#parts.app.urgent.devices, deviceId);
    const found = await lateIfFailing(within(deadline.left('lookUpMs'), lookUp));
    if (found !== LATE) return found;
    const known = this.#remembered.get(deviceId);
    if (known !== undefined) return known;
    const foundLater = await lateIfFailing(within(deadline.left('answerMs'), lookUp));
    if (foundLater !== LATE) return foundLater;
    throw new Refusal(
      'storage_unavailable',
      'the storage does not answer and this device is not known here, so nothing was sent to it; use the stop at the device itself',
    );
  }

  /** Resolves with `null` for a wrong secret and for an unknown device; rejects while the secret cannot be checked. */
  async authenticate(deviceId: string, secret: string): Promise<LinkDevice | null> {
    const lookUp = this.find(deviceId);
    const found = await lateIfFailing(within(LOGIN_LOOK_UP_MS, lookUp));
    const known = found === LATE ? this.#lastKnown(deviceId, secret) : null;
    if (known !== null) return known;
    const device = found === LATE ? await lookUp : found;
    if (device === undefined || device.removedAtMs !== null) return null;
    return matchesHash(secret, device.secretHash) ? linkDevice(device) : null;
  }

  /** Finds a device that the broker has authenticated; `null` for an unknown or removed one. */
  async findForLink(deviceId: string): Promise<LinkDevice | null> {
    const device = await this.find(deviceId);
    return device === undefined || device.removedAtMs !== null ? null : linkDevice(device);
  }

  /** Called when the secret was replaced, on this node or on another. */
  dropSecret(deviceId: string): void {
    this.#replacementsSeen++;
    const known = this.#remembered.get(deviceId);
    if (known !== undefined) this.#remembered.set(deviceId, { ...known, secretHash: null });
  }

  observe(events: readonly StoredEvent[]): void {
    const changed: string[] = [];
    for (const { type, deviceId, facility } of events) {
      if (deviceId === null || facility === null || !CHANGES_DEVICE.has(type)) continue;
      changed.push(deviceId);
      if (CHANGES_SECRET.has(type)) this.dropSecret(deviceId);
      if (type === 'device.purged') this.#remembered.delete(deviceId);
      if (type === 'device.updated') this.#moved(deviceId, facility);
    }
    this.#copy.changed(changed);
  }

  /** The limits of keys follow a moved device also while the storage does not answer. */
  #moved(deviceId: string, facility: string): void {
    const known = this.#remembered.get(deviceId);
    if (known !== undefined) this.#remembered.set(deviceId, { ...known, facility });
  }

  /** A secret that differs from the last known one may be newer, so it is not refused. */
  #lastKnown(deviceId: string, secret: string): LinkDevice | null {
    const known = this.#remembered.get(deviceId);
    if (known === undefined || known.secretHash === null) return null;
    const isRecent = this.#parts.now() - known.readAtMs < SECRET_LAST_KNOWN_MS_MAX;
    return isRecent && matchesHash(secret, known.secretHash) ? linkDevice(known) : null;
  }

  async #find(devices: Pick<DeviceReads, 'find'>, deviceId: string): Promise<StoredDevice | undefined> {
    const replacementsSeen = this.#replacementsSeen;
    const found = await devices.find(deviceId);
    if (found === undefined) this.#remembered.delete(deviceId);
    else this.#remember(found, replacementsSeen);
    return found;
  }

  async #readAll(): Promise<void> {
    const { devices } = this.#parts.app;
    this.#round += 1;
    let replacementsSeen = this.#replacementsSeen;
    await readInParts<KnownDevice>(
      async (last, limit) => {
        replacementsSeen = this.#replacementsSeen;
        return await devices.known(last?.deviceNo ?? 0, limit);
      },
      (device) => this.#remember(device, replacementsSeen),
    );
    // A device that was read neither now nor by a request since does not exist any more.
    for (const [deviceId, { round }] of this.#remembered) {
      if (round < this.#round) this.#remembered.delete(deviceId);
    }
  }

  async #readChanged(deviceIds: readonly string[]): Promise<void> {
    const replacementsSeen = this.#replacementsSeen;
    const found = await this.#parts.app.devices.knownById(deviceIds);
    const gone = new Set(deviceIds);
    for (const device of found) {
      gone.delete(device.deviceId);
      this.#remember(device, replacementsSeen);
    }
    for (const deviceId of gone) this.#remembered.delete(deviceId);
  }

  /** A secret that was read before a replacement may be outdated, so it is not kept. */
  #remember(device: KnownDevice, replacementsSeen: number): void {
    const { deviceNo, deviceId, profile, facility, capacityKg } = device;
    const isSecretCurrent = replacementsSeen === this.#replacementsSeen && device.removedAtMs === null;
    const secretHash = isSecretCurrent ? device.secretHash : null;
    const readAtMs = this.#parts.now();
    const entry = { deviceNo, deviceId, profile, facility, capacityKg };
    this.#remembered.set(deviceId, { ...entry, secretHash, readAtMs, round: this.#round });
  }
}

const linkDevice = ({ deviceNo, deviceId, profile, capacityKg }: DirectoryEntry): LinkDevice =>
  capacityKg === null ? { deviceNo, deviceId, profile } : { deviceNo, deviceId, profile, capacityKg };
