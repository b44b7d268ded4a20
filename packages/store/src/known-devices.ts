import type { SiloConfiguration } from '@granary/contract/configuration';
import type { FieldConfiguration } from '@granary/contract/field-configuration';
import { storedConfiguration } from '@granary/core/configuration';
import type { LatestValues } from '@granary/core/telemetry';
import { findDevices, type StoredDevice } from './devices.ts';
import { type OnUnreadable, reasonOf, UnreadableRow } from './set-aside.ts';
import type { Sql } from './sql.ts';
import { latestOfMany } from './telemetry.ts';

/** What decisions about every kind of device rest on. */
export interface KnownDevice {
  readonly device: StoredDevice;
  readonly latest: LatestValues;
  /** As JSON; what it means depends on the kind of device. */
  readonly configuration: string;
}

/** As they stand inside the transaction. */
export async function readKnownDevices(sql: Sql, deviceNos: readonly number[]): Promise<KnownDevice[]> {
  const devices = await findDevices(sql, deviceNos);
  const latest = await latestOfMany(sql, deviceNos);
  const configurations = new Map(
    await sql.query<[deviceNo: number, body: string]>(
      `SELECT device_no, body FROM configurations WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
      [JSON.stringify(deviceNos)],
    ),
  );
  return devices.flatMap((device) => {
    const configuration = configurations.get(device.deviceNo);
    return configuration === undefined
      ? []
      : [{ device, latest: latest.get(device.deviceNo) ?? {}, configuration }];
  });
}

/** `null` for one that is damaged, where `onUnreadable` sets it aside so that other devices go on without it; else it throws. */
export function parsedConfiguration<Configuration extends SiloConfiguration | FieldConfiguration>(
  { deviceId }: StoredDevice,
  stored: string,
  onUnreadable?: OnUnreadable,
): Configuration | null {
  try {
    return storedConfiguration(stored);
  } catch (error) {
    const item = { kind: 'configuration', id: deviceId, reason: reasonOf(error) };
    if (onUnreadable === undefined) throw new UnreadableRow(item, { cause: error });
    onUnreadable(item);
    return null;
  }
}
