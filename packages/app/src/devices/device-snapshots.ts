import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { storedConfiguration } from '@granary/core/configuration/versions';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import { type LatestValues, latestValues, type Sensor } from '@granary/core/sensors/sensor';
import { standardSensorsOf } from '@granary/core/sensors/standard-sensors';
import type { Sql } from '@granary/store/sql';
import { configurationsOf } from '../configuration/configuration-rows.ts';
import { latestOfDevices } from '../telemetry/latest-values.ts';
import { type OnUnreadable, reasonOf, type SetAside, UnreadableRow } from '../unreadable-row.ts';
import { findDevices, type StoredDevice } from './device-rows.ts';
import type { FactRows } from './fact-rows.ts';

/** The facts for decisions about a device of any kind. */
export interface DeviceSnapshot {
  readonly device: StoredDevice;
  /** Those of the profile alone, if the declared ones are damaged. */
  readonly sensors: readonly Sensor[];
  readonly damagedSensors: SetAside | null;
  readonly latest: LatestValues;
  /** JSON whose schema depends on the profile of the device. */
  readonly configuration: string;
}

/** Reads the snapshots inside the transaction. Damaged declared sensors are no reason to leave a device out, because its stop must be repeated. */
export async function readDeviceSnapshots(sql: Sql, deviceNos: readonly number[]): Promise<DeviceSnapshot[]> {
  const [devices, latest, configurations] = await Promise.all([
    findDevices(sql, deviceNos),
    latestOfDevices(sql, deviceNos),
    configurationsOf(sql, deviceNos),
  ]);
  return snapshotsOf(devices, { latest, configurations });
}

/** Of the devices that have a configuration. */
export function snapshotsOf(
  devices: readonly StoredDevice[],
  { latest, configurations }: Pick<FactRows, 'latest' | 'configurations'>,
): DeviceSnapshot[] {
  return devices.flatMap((device) => {
    const { deviceNo } = device;
    const configuration = configurations.get(deviceNo);
    if (configuration === undefined) return [];
    const { sensors, damagedSensors } = readableSensors(device);
    const values = latestValues(sensors, latest.get(deviceNo) ?? []);
    return [{ device, sensors, damagedSensors, latest: values, configuration }];
  });
}

function readableSensors({ deviceId, profile, sensorDocument }: StoredDevice) {
  try {
    return { sensors: sensorsOf(profile, sensorDocument), damagedSensors: null };
  } catch (error) {
    const damagedSensors = { kind: 'sensors', id: deviceId, reason: reasonOf(error) };
    return { sensors: standardSensorsOf(profile), damagedSensors };
  }
}

/** `null` for a damaged configuration if `onUnreadable` sets it aside, so that other devices are not affected; otherwise it throws. */
export function parsedConfiguration(
  { deviceId }: StoredDevice,
  stored: string,
  onUnreadable?: OnUnreadable,
): DeviceConfiguration | null {
  try {
    return storedConfiguration(stored);
  } catch (error) {
    const item = { kind: 'configuration', id: deviceId, reason: reasonOf(error) };
    if (onUnreadable === undefined) throw new UnreadableRow(item, { cause: error });
    onUnreadable(item);
    return null;
  }
}
