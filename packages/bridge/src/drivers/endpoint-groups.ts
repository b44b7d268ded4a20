import { SECOND_MS } from '@granary/contract/time';
import { messageOf } from '../message-of.ts';
import type { AttachedDevice, DeviceHealth, Driver, DriverParts, Sample } from './driver.ts';
import { type Drivers, endpointGroup } from './drivers.ts';

const DRIVER_RETRY_MS = 10 * SECOND_MS;

/** The devices behind one endpoint, which one driver reads. */
interface Group {
  readonly driverName: string;
  readonly signature: string;
  readonly devices: readonly AttachedDevice[];
  driver: Driver | null;
  retryTimer: NodeJS.Timeout | undefined;
  isStopped: boolean;
}

interface GroupParts {
  readonly drivers: Drivers;
  readonly driverParts: () => DriverParts;
  readonly sample: (sample: Sample) => void;
  readonly log: DriverParts['log'];
}

/** The drivers of all endpoints of a site. A driver that cannot start is tried again. */
export class EndpointGroups {
  readonly #parts: GroupParts;
  readonly #groups = new Map<string, Group>();

  constructor(parts: GroupParts) {
    this.#parts = parts;
  }

  health(): DeviceHealth[] {
    return [...this.#groups.values()].flatMap(({ driver }) => driver?.health() ?? []);
  }

  /** Stops the drivers whose devices are not the same any more. */
  async stopChanged(devices: readonly AttachedDevice[]): Promise<void> {
    const wanted = this.#groupsOf(devices);
    for (const [key, group] of this.#groups) {
      if (wanted.get(key)?.signature === group.signature) continue;
      await this.#stop(group);
      this.#groups.delete(key);
    }
  }

  /** Starts the drivers that do not run yet. */
  async startMissing(devices: readonly AttachedDevice[]): Promise<void> {
    for (const [key, group] of this.#groupsOf(devices)) {
      if (this.#groups.has(key)) continue;
      this.#groups.set(key, group);
      await this.#start(group);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => this.#stop(group)));
  }

  #groupsOf(devices: readonly AttachedDevice[]): Map<string, Group> {
    const driverNameOf = ({ mapping, endpoint }: AttachedDevice): string =>
      this.#parts.drivers.nameOf(mapping.protocol, endpoint) ?? '';
    const keyOf = (device: AttachedDevice) => `${driverNameOf(device)} ${endpointGroup(device.endpoint)}`;
    return new Map(
      [...Map.groupBy(devices, keyOf)].map(([key, members]) => [
        key,
        {
          driverName: members[0] === undefined ? '' : driverNameOf(members[0]),
          signature: signatureOf(members),
          devices: members,
          driver: null,
          retryTimer: undefined,
          isStopped: false,
        },
      ]),
    );
  }

  async #start(group: Group): Promise<void> {
    const { drivers, driverParts, sample, log } = this.#parts;
    try {
      const { makeDriver } = await drivers.load(group.driverName);
      const driver = makeDriver(group.devices, { sample, failed: () => undefined }, driverParts());
      group.driver = driver;
      await driver.start();
    } catch (error) {
      log('error', 'the driver of an endpoint cannot start; it is tried again', {
        endpoint: group.devices[0]?.endpoint,
        reason: messageOf(error),
      });
      await group.driver?.stop().catch(() => undefined);
      group.driver = null;
      if (!group.isStopped) group.retryTimer = setTimeout(() => void this.#start(group), DRIVER_RETRY_MS);
    }
  }

  async #stop(group: Group): Promise<void> {
    group.isStopped = true;
    clearTimeout(group.retryTimer);
    await group.driver?.stop().catch((error: unknown) => {
      this.#parts.log('error', 'a driver did not stop in order', { reason: messageOf(error) });
    });
  }
}

const signatureOf = (devices: readonly AttachedDevice[]): string =>
  JSON.stringify(devices, (_, value: unknown) => (value instanceof Map ? [...value] : value));
