import type { App } from '@granary/app/app';
import { type RequestTime, whileRequestLasts } from '@granary/common/request-time';
import { LATE } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import type { DynamicSecurity } from '@granary/link/external/access/dynamic-security';
import { storageUnavailable } from '@granary/store/errors';
import { hashSecret } from '../../process/keys/secrets.ts';
import type { Logger } from '../../process/logging/logger.ts';

export interface DeviceSecret {
  readonly deviceId: string;
  readonly secret: string;
}

/** Gives the secrets of devices to an external broker when they are made, because only then are they known in clear text. */
export interface DeviceAccess {
  /** This and `readyToReplace` refuse while the broker takes no secrets, before anything is stored. */
  readyToRegister(deviceIds: readonly string[], time: RequestTime | null): Promise<void>;
  readyToReplace(deviceId: string, time: RequestTime | null): Promise<void>;
  /** Called when the secrets are stored. A request that is refused here is completed when it is repeated. */
  give(secrets: readonly DeviceSecret[], time: RequestTime | null): Promise<void>;
  /** A removed device may not log in any more. */
  removed(deviceId: string): void;
  /** The devices that the broker would not let in; `null` where that is not known. */
  readonly unknownDevices: number | null;
}

/** Used where the service checks the secrets itself, or where people give them to the broker. */
export const NO_DEVICE_ACCESS: DeviceAccess = {
  readyToRegister: () => Promise.resolve(),
  readyToReplace: () => Promise.resolve(),
  give: () => Promise.resolve(),
  removed: () => undefined,
  unknownDevices: null,
};

interface AccessParts {
  readonly security: Pick<DynamicSecurity, 'isBusy' | 'find' | 'give' | 'remove'>;
  readonly devices: Pick<App['devices'], 'find'>;
  readonly logger: Logger;
}

/** The secrets of devices in the dynamic security plugin of Mosquitto. */
export class GivenAccess {
  readonly #parts: AccessParts;
  /** The last work on each device, so that two requests for one device follow each other. */
  readonly #work = new Map<string, Promise<unknown>>();

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  async readyToRegister(deviceIds: readonly string[], time: RequestTime | null): Promise<void> {
    const { devices } = this.#parts;
    for (const deviceId of deviceIds) {
      // The storage refuses an id that is taken, or answers a repeated request.
      const known = await whileRequestLasts(time, devices.find(deviceId));
      if (known === LATE) throw storageUnavailable('it does not answer');
      if (known !== undefined) continue;
      const client = await this.#findClient(deviceId, time);
      if (client === 'foreign') throw new Refusal('device_exists', takenText(deviceId));
    }
  }

  async readyToReplace(deviceId: string, time: RequestTime | null): Promise<void> {
    const client = await this.#findClient(deviceId, time);
    if (client === 'foreign') throw unavailable(takenText(deviceId));
  }

  async give(secrets: readonly DeviceSecret[], time: RequestTime | null): Promise<void> {
    for (const one of secrets) {
      // The broker gets the secret even if the request stops waiting, because the secret may have to be removed again.
      const given = this.#inTurn(one.deviceId, () => this.#give(one));
      if ((await whileRequestLasts(time, given)) === LATE) throw unconfirmed(one.deviceId);
    }
  }

  /** Looks at the storage first, because the id may already belong to a new device. */
  async remove(deviceId: string): Promise<void> {
    const { security, devices } = this.#parts;
    await this.#inTurn(deviceId, async () => {
      const device = await devices.find(deviceId);
      if (device === undefined || device.removedAtMs !== null) await security.remove(deviceId);
    });
  }

  /** Removes the client of a device, because the broker has a secret that was replaced since. */
  async revoke(deviceId: string): Promise<void> {
    await this.#inTurn(deviceId, () => this.#parts.security.remove(deviceId));
  }

  removed(deviceId: string): void {
    this.remove(deviceId).catch((error: unknown) => {
      const { logger } = this.#parts;
      const text = 'a removed device could not be removed from the broker; this is repeated';
      logger.warn({ device_id: deviceId, err: error }, text);
    });
  }

  /**
   * When two nodes make a secret for a device at the same time, the stored one counts. If this one was replaced while the broker took
   * it, the broker may have this one instead of the newer one, so the client is removed and nobody may log in with it.
   */
  async #give({ deviceId, secret }: DeviceSecret): Promise<void> {
    const { security } = this.#parts;
    const secretHash = hashSecret(secret);
    if (!(await this.#isStored(deviceId, secretHash))) return;
    try {
      await security.give({ deviceId, secret, secretHash });
      if (await this.#isStored(deviceId, secretHash)) return;
      await security.remove(deviceId);
    } catch (error) {
      throw unconfirmed(deviceId, error);
    }
    throw unavailable(
      `the credentials of ${deviceId} were replaced by another request at the same time, and the broker lets nobody in with either: replace them again`,
    );
  }

  async #findClient(deviceId: string, time: RequestTime | null): ReturnType<DynamicSecurity['find']> {
    const { security } = this.#parts;
    if (security.isBusy)
      throw unavailable('too many credentials wait for the broker, so nothing was changed; repeat it later');
    const unanswered = 'the broker takes no credentials now, so nothing was changed';
    const found = await whileRequestLasts(time, security.find(deviceId)).catch((error: unknown) => {
      throw unavailable(unanswered, error);
    });
    if (found === LATE) throw unavailable(unanswered);
    return found;
  }

  /** Whether the secret is still the stored one: a repeated request may bring a secret that was replaced since. */
  async #isStored(deviceId: string, secretHash: string): Promise<boolean> {
    const device = await this.#parts.devices.find(deviceId);
    return device !== undefined && device.removedAtMs === null && device.secretHash === secretHash;
  }

  async #inTurn(deviceId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#work.get(deviceId);
    const mine = (before ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#work.set(deviceId, mine);
    try {
      await mine;
    } finally {
      if (this.#work.get(deviceId) === mine) this.#work.delete(deviceId);
    }
  }
}

const takenText = (deviceId: string): string =>
  `the broker has a client ${deviceId} that the service has not made; delete it there`;

const unconfirmed = (deviceId: string, cause?: unknown): Refusal =>
  unavailable(
    `the credentials of ${deviceId} are stored, but the broker has not confirmed them: repeat the request with the same Idempotency-Key, or replace the credentials`,
    cause,
  );

const unavailable = (message: string, cause?: unknown): Refusal =>
  new Refusal('broker_unavailable', message, undefined, { cause });
