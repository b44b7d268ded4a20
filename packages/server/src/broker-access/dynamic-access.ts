import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@granary/app/app';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { DynamicSecurity } from '@granary/link/external/access/dynamic-security';
import type { ExternalLinkOptions } from '@granary/link/external/external-link';
import type { Logger } from '../logging/logger.ts';
import { type DeviceAccess, type DeviceSecret, GivenAccess } from './device-access.ts';
import { type Reconciled, reconcile } from './reconciliation.ts';

const EVERY_MS = 10 * MINUTE_MS;
/** Longer than the broker may take to answer the commands of one request. */
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
  #timer: NodeJS.Timeout | undefined;
  #isAskedFor = false;
  #running: Promise<void> | null = null;
  #said = '';

  constructor(
    parts: DynamicAccessParts,
    options: Pick<ExternalLinkOptions, 'broker' | 'nodeName' | 'limits'>,
  ) {
    this.#parts = parts;
    this.#security = new DynamicSecurity({ ...options, changed: (error) => this.#changed(error) });
    this.#given = new GivenAccess({ ...parts, security: this.#security });
  }

  async start(): Promise<void> {
    await this.#security.start();
    this.#timer = setInterval(() => this.#reconcile(), EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    this.#security.stop();
    await this.#running;
  }

  readyToRegister(deviceIds: readonly string[]): Promise<void> {
    return this.#given.readyToRegister(deviceIds);
  }

  readyToReplace(deviceId: string): Promise<void> {
    return this.#given.readyToReplace(deviceId);
  }

  give(secrets: readonly DeviceSecret[]): Promise<void> {
    return this.#given.give(secrets);
  }

  removed(deviceId: string): void {
    this.#given.removed(deviceId);
  }

  #changed(error: Error | null): void {
    if (error === null) this.#reconcile();
    else this.#parts.logger.warn({ reason: error.message }, 'the broker takes no credentials of devices now');
  }

  /** A broker that comes back while the comparison with it still runs may have lost its clients since, so it is compared again. */
  #reconcile(): void {
    this.#isAskedFor = true;
    this.#running ??= this.#reconcileWhileAskedFor().finally(() => {
      this.#running = null;
    });
  }

  async #reconcileWhileAskedFor(): Promise<void> {
    while (this.#isAskedFor && !this.#stopping.signal.aborted) {
      this.#isAskedFor = false;
      await this.#reconcileOnce();
    }
  }

  async #reconcileOnce(): Promise<void> {
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
      // It is repeated when the broker is connected again, and later.
      if (this.#stopping.signal.aborted || !this.#security.isReady) return;
      logger.warn({ err: error }, 'the devices could not be compared with the clients of the broker');
    }
  }

  /** Says the same only once. */
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
