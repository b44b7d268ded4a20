import type { App } from '@granary/app/app';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { BoundedMap } from '@granary/common/bounded-map';
import { sensorsInUse } from '@granary/core/sensors/declared-sensors';
import type { Sensor } from '@granary/core/sensors/sensor';
import type { LinkDevice } from '@granary/link/port';

/** A further device replaces the one that was looked up longest ago. */
const DEVICES_CACHED_MAX = 10_000;

/** A purge changes the sensors of an id, because another device may get the id afterwards. */
export const changesSensors = ({ type }: StoredEvent): boolean =>
  type === 'device.updated' || type === 'device.purged';

export type SensorsById = ReadonlyMap<string, Sensor>;

type Device = Pick<LinkDevice, 'deviceId' | 'deviceNo'>;
type ReadSensors = (device: Device) => Promise<SensorsById>;

/** Caches the declared sensors of devices, because every message with values of such sensors needs them. */
export class DeclaredSensorsCache {
  readonly #read: ReadSensors;
  readonly #cached = new BoundedMap<string, SensorsById>(DEVICES_CACHED_MAX);
  #changesSeen = 0;

  constructor(read: ReadSensors) {
    this.#read = read;
  }

  /** The sensors of a device if they are cached. */
  cached(deviceId: string): SensorsById | undefined {
    return this.#cached.get(deviceId);
  }

  /** Called when the sensors of a device were changed, on this node or on another. */
  drop(deviceId: string): void {
    this.#changesSeen++;
    this.#cached.delete(deviceId);
  }

  observe(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.deviceId !== null && changesSensors(event)) this.drop(event.deviceId);
    }
  }

  /** Sensors that were read before a change may be outdated, so they are not cached. */
  async lookUp(device: Device): Promise<SensorsById> {
    const changesSeen = this.#changesSeen;
    const found = await this.#read(device);
    if (changesSeen === this.#changesSeen) this.#cached.set(device.deviceId, found);
    return found;
  }
}

/** Reads the declared sensors of a device. */
export const readDeclaredSensors =
  (devices: Pick<App['devices'], 'find'>) =>
  async ({ deviceId }: { readonly deviceId: string }): Promise<SensorsById> =>
    sensorsById((await devices.find(deviceId))?.sensorDocument ?? null);

export const sensorsById = (sensorDocument: string | null): SensorsById =>
  new Map(readableSensors(sensorDocument).map((sensor) => [sensor.sensorId, sensor]));

/** Damaged sensors count as not declared, so that the other values of the device are stored; the alert evaluation logs them. */
function readableSensors(sensorDocument: string | null): readonly Sensor[] {
  try {
    return sensorsInUse(sensorDocument);
  } catch {
    return [];
  }
}
