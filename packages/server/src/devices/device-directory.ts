import type { App } from '@granary/app/app';
import type { StoredDevice } from '@granary/app/devices/devices';
import type { StoredEvent } from '@granary/app/events/events';
import { Refusal } from '@granary/contract/errors';
import type { DeviceKind } from '@granary/contract/telemetry/channels';
import { DAY_MS } from '@granary/contract/time';
import type { LinkDevice } from '@granary/link/port';
import { matchesHash } from '../keys/secrets.ts';
import { lateIfFailing } from '../urgent/storage-faults.ts';
import type { UrgentDeadline } from '../urgent/urgent-deadline.ts';
import { LATE, within } from '../urgent/within.ts';

/** Of more devices the one that was looked up longest ago is dropped. */
const DEVICES_CACHED_MAX = 50_000;
/** A device that connects is let in by what was last known of it when the storage has not answered by then. */
const LOGIN_LOOK_UP_MS = 75;
/** How long a secret is taken to be good while the storage cannot be asked. */
export const SECRET_LAST_KNOWN_MS_MAX = DAY_MS;

export interface DirectoryEntry {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly kind: DeviceKind;
  readonly facility: string;
  /** `null` for what is no silo. */
  readonly capacityKg: number | null;
}

interface Secret {
  readonly hash: string;
  readonly checkedAtMs: number;
}

interface Remembered {
  readonly entry: DirectoryEntry;
  /** `null` after it was replaced and before it is looked up again. */
  readonly secret: Secret | null;
}

interface DeviceFinders {
  readonly devices: Pick<App['devices'], 'find'>;
  readonly urgent: { readonly devices: Pick<App['devices'], 'find'> };
}

/** What was last known of devices, for what must not wait until the storage answers. */
export class DeviceDirectory {
  readonly #finders: DeviceFinders;
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();
  #replacementsSeen = 0;

  constructor(finders: DeviceFinders, now: () => number) {
    this.#finders = finders;
    this.#now = now;
  }

  async find(deviceId: string): Promise<StoredDevice | undefined> {
    return await this.#find(this.#finders.devices, deviceId);
  }

  /** As last known if the storage does not answer in time; refused if nothing is known either. */
  async findUrgently(deviceId: string, deadline: UrgentDeadline): Promise<DirectoryEntry | undefined> {
    const looking = this.#find(this.#finders.urgent.devices, deviceId);
    const found = await lateIfFailing(within(deadline.left('lookUpMs'), looking));
    if (found !== LATE) return found;
    const known = this.#remembered.get(deviceId)?.entry;
    if (known !== undefined) return known;
    const foundLater = await lateIfFailing(within(deadline.left('answerMs'), looking));
    if (foundLater !== LATE) return foundLater;
    throw new Refusal(
      'storage_unavailable',
      'the storage does not answer and this device is not connected here, so nothing was sent to it; use the stop at the device itself',
    );
  }

  /** `null` for a wrong secret and an unknown device. Rejects while nobody can tell. */
  async authenticate(deviceId: string, secret: string): Promise<LinkDevice | null> {
    const looking = this.find(deviceId);
    const found = await lateIfFailing(within(LOGIN_LOOK_UP_MS, looking));
    const known = found === LATE ? this.#lastKnown(deviceId, secret) : null;
    if (known !== null) return known;
    const device = found === LATE ? await looking : found;
    return device !== undefined && matchesHash(secret, device.secretHash) ? linkDevice(device) : null;
  }

  /** The secret was replaced, here or on another node. */
  forgetSecret(deviceId: string): void {
    this.#replacementsSeen++;
    const known = this.#remembered.get(deviceId);
    if (known !== undefined) this.#remembered.set(deviceId, { ...known, secret: null });
  }

  observe(events: readonly StoredEvent[]): void {
    for (const { type, deviceId } of events) {
      if (type === 'device.credentials_replaced' && deviceId !== null) this.forgetSecret(deviceId);
    }
  }

  /** A secret that differs from the last known one may be a newer one, so it is not refused by it. */
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
    else this.#remember(found, replacementsSeen === this.#replacementsSeen);
    return found;
  }

  /** A secret that was read before some secret was replaced may be out of date by now. */
  #remember(found: StoredDevice, isSecretCurrent: boolean): void {
    const { deviceNo, deviceId, kind, facility, capacityKg, secretHash } = found;
    const entry = { deviceNo, deviceId, kind, facility, capacityKg };
    const secret = isSecretCurrent ? { hash: secretHash, checkedAtMs: this.#now() } : null;
    this.#remembered.delete(deviceId);
    this.#remembered.set(deviceId, { entry, secret });
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= DEVICES_CACHED_MAX) break;
      this.#remembered.delete(oldest);
    }
  }
}

const linkDevice = ({ deviceNo, deviceId, kind, capacityKg }: DirectoryEntry): LinkDevice =>
  capacityKg === null ? { deviceNo, deviceId, kind } : { deviceNo, deviceId, kind, capacityKg };
