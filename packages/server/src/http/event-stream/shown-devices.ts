import type { DeviceValues, FleetDevice } from '@granary/contract/fleet';
import type { Place } from '@granary/core/keys';

interface ShownDevice extends Place {
  readonly lastSeen: string | null;
  /** The values as JSON, which is made once for all readers. */
  readonly text: string;
}

/** The devices that readers see, each with its newest values. */
export class ShownDevices {
  readonly #devices = new Map<string, ShownDevice>();

  get size(): number {
    return this.#devices.size;
  }

  ids(): IterableIterator<string> {
    return this.#devices.keys();
  }

  get(deviceId: string): ShownDevice | undefined {
    return this.#devices.get(deviceId);
  }

  /** Returns whether anything has changed that a reader sees. */
  put(device: FleetDevice): boolean {
    const { device_id: deviceId, status, last_seen: lastSeen, readings = {} } = device;
    const values: DeviceValues = { device_id: deviceId, status, last_seen: lastSeen, readings };
    const text = JSON.stringify(values);
    const isChanged = this.#devices.get(deviceId)?.text !== text;
    this.#devices.set(deviceId, { deviceId, facility: device.location.facility, lastSeen, text });
    return isChanged;
  }

  remove(deviceId: string): void {
    this.#devices.delete(deviceId);
  }

  clear(): void {
    this.#devices.clear();
  }
}
