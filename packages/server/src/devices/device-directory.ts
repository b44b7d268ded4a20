import type { App } from '@granary/app/app';
import type { StoredDevice } from '@granary/app/device-rows';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { BoundedMap } from '@granary/common/bounded-map';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import type { EventType } from '@granary/contract/events';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { DAY_MS } from '@granary/contract/time';
import type { LinkDevice } from '@granary/link/port';
import { matchesHash } from '../process/keys/secrets.ts';
import { lateIfFailing, type UrgentDeadline } from './sending/urgent-deadline.ts';

/** A further device replaces the one that was looked up longest ago. */
const DEVICES_CACHED_MAX = 50_000;
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

interface Secret {
  readonly hash: string;
  readonly checkedAtMs: number;
}

interface CachedDevice {
  readonly entry: DirectoryEntry;
  /** `null` after the secret was replaced, until it is looked up again. */
  readonly secret: Secret | null;
}

interface DeviceFinders {
  readonly devices: Pick<App['devices'], 'find'>;
  readonly urgent: { readonly devices: Pick<App['devices'], 'find'> };
}

const CHANGES_SECRET: ReadonlySet<EventType> = new Set<EventType>([
  'device.credentials_replaced',
  'device.removed',
  'device.restored',
]);

/** A cache of devices, for requests that must not wait for the storage. */
export class DeviceDirectory {
  readonly #finders: DeviceFinders;
  readonly #now: () => number;
  readonly #remembered = new BoundedMap<string, CachedDevice>(DEVICES_CACHED_MAX);
  #replacementsSeen = 0;

  constructor(finders: DeviceFinders, now: () => number) {
    this.#finders = finders;
    this.#now = now;
  }

  async find(deviceId: string): Promise<StoredDevice | undefined> {
    return await this.#find(this.#finders.devices, deviceId);
  }

  /** Returns the last known device if the storage does not answer in time; refuses if there is none. */
  async findUrgently(deviceId: string, deadline: UrgentDeadline): Promise<DirectoryEntry | undefined> {
    const lookUp = this.#find(this.#finders.urgent.devices, deviceId);
    const found = await lateIfFailing(within(deadline.left('lookUpMs'), lookUp));
    if (found !== LATE) return found;
    const known = this.#remembered.get(deviceId)?.entry;
    if (known !== undefined) return known;
    const foundLater = await lateIfFailing(within(deadline.left('answerMs'), lookUp));
    if (foundLater !== LATE) return foundLater;
    throw new Refusal(
      'storage_unavailable',
      'the storage does not answer and this device is not connected here, so nothing was sent to it; use the stop at the device itself',
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

  /** For a device that the broker has authenticated; `null` for an unknown or removed one. */
  async findForLink(deviceId: string): Promise<LinkDevice | null> {
    const device = await this.find(deviceId);
    return device === undefined || device.removedAtMs !== null ? null : linkDevice(device);
  }

  /** Called when the secret was replaced, on this node or on another. */
  dropSecret(deviceId: string): void {
    this.#replacementsSeen++;
    const known = this.#remembered.get(deviceId);
    if (known !== undefined) this.#remembered.set(deviceId, { ...known, secret: null });
  }

  observe(events: readonly StoredEvent[]): void {
    for (const { type, deviceId, facility } of events) {
      if (deviceId === null || facility === null) continue;
      if (CHANGES_SECRET.has(type)) this.dropSecret(deviceId);
      if (type === 'device.purged') this.#remembered.delete(deviceId);
      if (type === 'device.updated') this.#moved(deviceId, facility);
    }
  }

  /** The limits of keys follow a moved device also while the storage does not answer. */
  #moved(deviceId: string, facility: string): void {
    const known = this.#remembered.get(deviceId);
    if (known === undefined) return;
    this.#remembered.set(deviceId, { ...known, entry: { ...known.entry, facility } });
  }

  /** A secret that differs from the last known one may be newer, so it is not refused. */
  #lastKnown(deviceId: string, secret: string): LinkDevice | null {
    const known = this.#remembered.get(deviceId);
    if (known === undefined || known.secret === null) return null;
    const { hash, checkedAtMs } = known.secret;
    const isRecent = this.#now() - checkedAtMs < SECRET_LAST_KNOWN_MS_MAX;
    return isRecent && matchesHash(secret, hash) ? linkDevice(known.entry) : null;
  }

  async #find(devices: DeviceFinders['devices'], deviceId: string): Promise<StoredDevice | undefined> {
    const replacementsSeen = this.#replacementsSeen;
    const found = await devices.find(deviceId);
    if (found === undefined) this.#remembered.delete(deviceId);
    else this.#cacheDevice(found, replacementsSeen === this.#replacementsSeen);
    return found;
  }

  /** A secret that was read before a replacement may be outdated, so it is not cached. */
  #cacheDevice(found: StoredDevice, isSecretCurrent: boolean): void {
    const { deviceNo, deviceId, profile, facility, capacityKg, secretHash } = found;
    const entry = { deviceNo, deviceId, profile, facility, capacityKg };
    const secret =
      isSecretCurrent && found.removedAtMs === null ? { hash: secretHash, checkedAtMs: this.#now() } : null;
    this.#remembered.set(deviceId, { entry, secret });
  }
}

const linkDevice = ({ deviceNo, deviceId, profile, capacityKg }: DirectoryEntry): LinkDevice =>
  capacityKg === null ? { deviceNo, deviceId, profile } : { deviceNo, deviceId, profile, capacityKg };
