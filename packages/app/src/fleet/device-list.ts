import type { DeviceStatus } from '@granary/contract/devices/statuses';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { Sql } from '@granary/store/sql';
import {
  type DeviceSelection,
  Parameters,
  type StatusClock,
  selectionConditions,
  statusExpression,
  where,
} from '../conditions.ts';
import { type DeviceRow, SELECT_DEVICE, type StoredDevice, toDevice } from '../device-rows.ts';

export interface FleetDevicePage {
  readonly devices: DeviceSelection;
  readonly profileName: ProfileName | null;
  readonly status: DeviceStatus | null;
  readonly clock: StatusClock;
  /** One of these texts must be in the id, the name or the model; `null` if any device is wanted. */
  readonly texts: readonly string[] | null;
  /** Selects removed devices if true, the others if false, and both if `null`. */
  readonly isRemoved: boolean | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
}

const SEARCHED_COLUMNS = ['devices.device_id', 'devices.name', 'devices.model'];

/** Lists the devices in the order of their ids. */
export async function listDevicesOfFleet(sql: Sql, page: FleetDevicePage): Promise<StoredDevice[]> {
  const parameters = new Parameters();
  const { bind } = parameters;
  const conditions = selectionConditions(sql, page.devices, parameters);
  if (page.isRemoved !== null) {
    conditions.push(`devices.removed_at_ms IS ${page.isRemoved ? 'NOT NULL' : 'NULL'}`);
  }
  if (page.afterDeviceId !== null) conditions.push(`devices.device_id > ${bind(page.afterDeviceId)}`);
  if (page.profileName !== null) conditions.push(`devices.profile = ${bind(page.profileName)}`);
  if (page.status !== null) {
    conditions.push(`${statusExpression(page.clock, parameters)} = ${bind(page.status)}`);
  }
  if (page.texts !== null) {
    const found = page.texts.flatMap((text) => {
      const placeholder = bind(text);
      return SEARCHED_COLUMNS.map((column) => sql.contains(column, placeholder));
    });
    conditions.push(`(${found.join(' OR ')})`);
  }
  const rows = await sql.query<DeviceRow>(
    `${SELECT_DEVICE} ${where(conditions)} ORDER BY devices.device_id LIMIT ${bind(page.limit)}`,
    parameters.values,
  );
  return rows.map(toDevice);
}
