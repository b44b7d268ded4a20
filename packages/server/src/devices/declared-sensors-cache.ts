import type { App } from '@granary/app/app';
import { sensorsInUse } from '@granary/core/sensors/declared-sensors';
import type { Sensor } from '@granary/core/sensors/sensor';
import type { StoredEvent } from '@granary/store/tables/events';

/** A further device replaces the one that was looked up longest ago. */
const DEVICES_CACHED_MAX = 10_000;

/** After a purge another device may get the id. */
const CHANGES_SENSORS: ReadonlySet<StoredEvent['type']> = new Set(['device.updated', 'device.purged']);

export type SensorsById = ReadonlyMap<string, Sensor>;

/** Caches the declared sensors of devices, because every message with values of such sensors needs them. */
export class DeclaredSensorsCache {
  readonly #devices: Pick<App['devices'], 'find'>;
  readonly #cached = new Map<string, SensorsById>();
  #changesSeen = 0;

  constructor(devices: Pick<App['devices'], 'find'>) {
    this.#devices = devices;
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
    for (const { type, deviceId } of events) {
      if (deviceId !== null && CHANGES_SENSORS.has(type)) this.drop(deviceId);
    }
  }

  /** Sensors that were read before a change may be outdated, so they are not cached. */
  async lookUp(deviceId: string): Promise<SensorsById> {
    const changesSeen = this.#changesSeen;
    const device = await this.#devices.find(deviceId);
    const found = sensorsById(device?.sensorDocument ?? null);
    if (changesSeen === this.#changesSeen) this.#keep(deviceId, found);
    return found;
  }

  #keep(deviceId: string, sensors: SensorsById): void {
    this.#cached.set(deviceId, sensors);
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= DEVICES_CACHED_MAX) break;
      this.#cached.delete(oldest);
    }
  }
}

export const sensorsById = (sensorDocument: string | null): SensorsById =>
  new Map(readableSensors(sensorDocument).map((sensor) => [sensor.sensorId, sensor]));

/** Damaged ones count as not declared, so that the other values of the device are stored; the alert evaluation logs them. */
function readableSensors(sensorDocument: string | null): readonly Sensor[] {
  try {
    return sensorsInUse(sensorDocument);
  } catch {
    return [];
  }
}
