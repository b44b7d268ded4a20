import type { FleetDevice } from '@granary/contract/fleet/devices';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';

export type LiveDevice = ReadonlySignal<FleetDevice>;

/** The part of a device that changes with its messages. */
export type DeviceUpdate = Pick<FleetDevice, 'device_id' | 'status' | 'last_seen' | 'readings'>;

/** Every device that the key may see. Each has a signal of its own, so that an update draws one device again and not all. */
export class Devices {
  readonly #all = signal<ReadonlyMap<string, Signal<FleetDevice>>>(new Map());

  get all(): ReadonlySignal<ReadonlyMap<string, LiveDevice>> {
    return this.#all;
  }

  /** With several facilities a name alone does not tell where a device is. */
  readonly hasSeveralPlaces: ReadonlySignal<boolean> = computed(() => {
    const facilities = [...this.#all.value.values()].map((device) => device.value.location.facility);
    return facilities.some((one) => one !== facilities[0]);
  });

  /** The name of a device for a person, with its facility where there are several; the id of one that is not known. */
  nameOf(deviceId: string): string {
    const device = this.find(deviceId)?.value;
    if (device === undefined) return deviceId;
    return this.hasSeveralPlaces.value ? `${device.name} · ${device.location.facility}` : device.name;
  }

  find(deviceId: string): LiveDevice | undefined {
    return this.#all.value.get(deviceId);
  }

  replaceAll(devices: readonly FleetDevice[]): void {
    const before = this.#all.peek();
    const isSame = devices.length === before.size && devices.every(({ device_id }) => before.has(device_id));
    const next = new Map(
      devices.map((device) => [device.device_id, before.get(device.device_id) ?? signal(device)]),
    );
    for (const device of devices) set(next.get(device.device_id), device);
    if (!isSame) this.#all.value = next;
  }

  /** Adds a device, or replaces what is known of it. */
  put(device: FleetDevice): void {
    const known = this.#all.peek().get(device.device_id);
    if (known !== undefined) {
      set(known, device);
      return;
    }
    const next = [...this.#all.peek(), [device.device_id, signal(device)] as const];
    this.#all.value = new Map(next.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Changes of devices that are not known are left to the list that is read later. */
  update(change: DeviceUpdate): void {
    const known = this.#all.peek().get(change.device_id);
    if (known !== undefined) known.value = { ...known.peek(), ...change };
  }

  remove(deviceId: string): void {
    const next = new Map(this.#all.peek());
    if (next.delete(deviceId)) this.#all.value = next;
  }
}

/** A list may have been read before the newest message of the stream was sent, so newer values stay. */
function set(known: Signal<FleetDevice> | undefined, device: FleetDevice): void {
  if (known === undefined) return;
  const { status, last_seen, readings } = known.peek();
  const isOlder = last_seen !== null && (device.last_seen === null || device.last_seen < last_seen);
  known.value = isOlder && readings !== undefined ? { ...device, status, last_seen, readings } : device;
}
