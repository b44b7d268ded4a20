import type { ReadSlices } from '@granary/app/app';
import { selectsAll } from '@granary/app/conditions';
import { Refusal } from '@granary/contract/errors';
import type { ReadingsQuery } from '@granary/contract/exports';
import { listOf } from '@granary/contract/input/schema';
import {
  type ExportedSensor,
  exportedSensors,
  refuseUnknownNames,
  type SensorSelection,
} from '@granary/core/exports';
import { type Limits, limitsAmong } from '@granary/core/keys';

const DEVICES_PER_PAGE = 500;

/** A device of an export, with the sensors whose values are exported. */
interface DeviceToExport {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly sensors: readonly ExportedSensor[];
}

export interface DevicesToExport {
  readonly devices: readonly DeviceToExport[];
  /** True when these are all devices of the database. */
  readonly isEveryDevice: boolean;
}

type Selection = Pick<ReadingsQuery, 'device_id' | 'facility' | 'zone' | 'profile' | 'sensor' | 'unit'>;

/** The devices of the query that the key may access; refuses an id or a sensor that is not among them. */
export async function devicesToExport(
  app: ReadSlices,
  limits: Limits,
  query: Selection,
  nowMs: number,
): Promise<DevicesToExport> {
  const ids = listOf(query.device_id);
  const wanted: SensorSelection = { names: listOf(query.sensor), unit: query.unit ?? null };
  const selection = {
    limits: limitsAmong(limits, ids),
    facility: query.facility ?? null,
    zone: query.zone ?? null,
    deviceId: null,
  };
  const devices: DeviceToExport[] = [];
  for (let afterDeviceId: string | null = null; ; ) {
    const profileName = query.profile ?? null;
    const page = await app.exports.devices({
      devices: selection,
      profileName,
      afterDeviceId,
      limit: DEVICES_PER_PAGE,
      nowMs,
    });
    for (const device of page) {
      const { deviceNo, deviceId } = device;
      devices.push({ deviceNo, deviceId, sensors: exportedSensors(device, wanted) });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < DEVICES_PER_PAGE) break;
    afterDeviceId = last.deviceId;
    await new Promise((resolve) => setImmediate(resolve));
  }
  refuseMissingIds(ids, devices);
  refuseUnknownNames(
    wanted,
    devices.map(({ sensors }) => sensors),
  );
  const isEveryDevice = selectsAll(selection) && query.profile === undefined;
  return { devices: devices.filter(({ sensors }) => sensors.length > 0), isEveryDevice };
}

/** Refuses an id that is unknown or outside the limits of the key, because leaving it out would only make the file shorter. */
function refuseMissingIds(ids: readonly string[] | null, devices: readonly DeviceToExport[]): void {
  const found = new Set(devices.map(({ deviceId }) => deviceId));
  const missing = ids?.find((id) => !found.has(id));
  if (missing !== undefined)
    throw new Refusal('device_not_found', `there is no device ${missing} in this selection`);
}
