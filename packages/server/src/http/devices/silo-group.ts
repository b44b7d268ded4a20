import { SENSOR_TYPES } from '@granary/contract/device-statuses';
import type { SiloDetail } from '@granary/contract/devices';
import { currentReadings, type LatestValues, sensorStatus } from '@granary/core/telemetry/readings';
import type { StoredDevice } from '@granary/store/tables/devices';
import { commonDetail, type DeviceGroupRoutes } from './device-group.ts';
import { capacityOf } from './find-device.ts';

export const SILO_GROUP: DeviceGroupRoutes = {
  kind: 'silo',
  detailOfNew: (device, nowMs) => siloDetail(device, {}, nowMs),
  readDetail: async (app, device, now) =>
    siloDetail(device, await app.telemetry.latest(device.deviceNo), now()),
};

function siloDetail(device: StoredDevice, latest: LatestValues, nowMs: number): SiloDetail {
  const capacityKg = capacityOf(device);
  const { reportingIntervalMs } = device.presence;
  const readings = currentReadings(latest, { reportingIntervalMs, capacityKg }, nowMs);
  const sensors = SENSOR_TYPES.map((type) => ({
    type,
    sensor_id: `${device.deviceId}-${type}`,
    status: sensorStatus(readings[type]),
  }));
  return { ...commonDetail(device, nowMs), capacity: { max: capacityKg, unit: 'kg' }, sensors };
}
