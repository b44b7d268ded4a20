import { siloDetail } from '@granary/core/devices/record';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import type { DeviceGroupRoutes } from './device-group.ts';
import { capacityOf } from './find-device.ts';

export const SILO_GROUP: DeviceGroupRoutes = {
  group: 'silo',
  detailOfNew: (device, nowMs) => siloDetail({ device, capacityKg: capacityOf(device), latest: {} }, nowMs),
  readDetail: async (app, device, now) => {
    const sensors = sensorsOf(device.profile, device.sensorDocument);
    const latest = await app.telemetry.latest(device.deviceNo, sensors);
    return siloDetail({ device, capacityKg: capacityOf(device), latest }, now());
  },
};
