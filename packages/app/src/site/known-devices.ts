import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { storedConfiguration } from '@granary/core/configuration/versions';
import type { DescribedDevice } from '@granary/core/site/site-device';
import type { Sql } from '@granary/store/sql';
import { lockConfigurations } from '../configuration/configuration-rows.ts';
import { lockDeviceRowsById, type StoredDevice } from '../device-rows.ts';

/** A registered device with everything that a document can change. */
export type KnownDevice = StoredDevice & DescribedDevice & { readonly configurationVersion: number };

/** The registered ones of these devices, by id; nobody else changes them before the transaction ends. */
export async function lockKnownDevices(
  sql: Sql,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, KnownDevice>> {
  const devices = await lockDeviceRowsById(sql, deviceIds);
  const configurations = await lockConfigurations(
    sql,
    devices.map(({ deviceNo }) => deviceNo),
  );
  return new Map(
    devices.map((device) => {
      const row = configurations.get(device.deviceNo);
      if (row === undefined) throw new Error(`device ${device.deviceId} has no configuration`);
      const configuration = storedConfiguration<DeviceConfiguration>(row.body);
      return [device.deviceId, { ...device, configuration, configurationVersion: row.version }];
    }),
  );
}
