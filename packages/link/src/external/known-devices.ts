import { setTimeout } from 'node:timers/promises';
import { BoundedMap } from '@granary/common/bounded-map';
import { checkDeviceId } from '@granary/contract/ids';
import { LINK_LIMITS, LINK_RECORDS_MAX } from '../limits.ts';
import type { LinkDevice } from '../port.ts';
import type { ExternalHandler } from './handler.ts';

/** The devices that have sent a message, so that not every message needs a look-up. */
export class KnownDevices {
  readonly #handler: Pick<ExternalHandler, 'find'>;
  readonly #known = new BoundedMap<string, Promise<LinkDevice | null>>(LINK_RECORDS_MAX);
  #isStopped = false;

  constructor(handler: Pick<ExternalHandler, 'find'>) {
    this.#handler = handler;
  }

  /**
   * Callers continue in the order of their calls. An unknown device is looked up again, because it may be registered any
   * time. While the storage is not available, this waits; it rejects only after the stop.
   */
  find(deviceId: string): Promise<LinkDevice | null> {
    const known = this.#known.get(deviceId);
    if (known !== undefined) return known;
    if (!checkDeviceId.accepts(deviceId)) return Promise.resolve(null);
    const found = this.#lookUp(deviceId);
    this.#known.set(deviceId, found);
    const forget = (): void => {
      if (this.#known.get(deviceId) === found) this.#known.delete(deviceId);
    };
    found.then((device) => (device === null ? forget() : undefined), forget);
    return found;
  }

  forget(deviceId: string): void {
    this.#known.delete(deviceId);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #lookUp(deviceId: string): Promise<LinkDevice | null> {
    try {
      return await this.#handler.find(deviceId);
    } catch {
      return await this.#lookUpAgain(deviceId);
    }
  }

  async #lookUpAgain(deviceId: string): Promise<LinkDevice | null> {
    for (;;) {
      await setTimeout(LINK_LIMITS.storageRetryMs, undefined, { ref: false });
      if (this.#isStopped) throw new Error('the service stops');
      try {
        return await this.#handler.find(deviceId);
      } catch {
        // The storage is still not available.
      }
    }
  }
}
