import type { App } from '@granary/app/app';
import { sensorsInUse } from '@granary/core/sensors/declared-sensors';
import type { Sensor } from '@granary/core/sensors/sensor';
import type { SensorsById } from './declared-sensors-cache.ts';

/** Reads the declared sensors of a device. */
export const readDeclaredSensors =
  (devices: Pick<App['devices'], 'find'>) =>
  async ({ deviceId }: { readonly deviceId: string }): Promise<SensorsById> =>
    sensorsById((await devices.find(deviceId))?.sensorDocument ?? null);

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
