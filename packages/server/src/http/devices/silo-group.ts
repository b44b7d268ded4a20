import { siloDetail } from '@granary/core/devices/record';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import type { DeviceGroupRoutes } from './device-group.ts';
import { capacityOf } from './find-device.ts';

export const SILO_GROUP: DeviceGroupRoutes = {
  group: 'silo',
  detailOfNew: (device, nowMs) =>
    siloDetail({ device, reception: null, capacityKg: capacityOf(device), latest: {} }, nowMs),
  readDetail: async (app, device, now) => {
    const sensors = sensorsOf(device.profile, device.sensorDocument);
    const [latest, reception] = await Promise.all([
      app.telemetry.latest(device.deviceNo, sensors),
      app.devices.reception(device.deviceNo),
    ]);
    return siloDetail({ device, reception, capacityKg: capacityOf(device), latest }, now());
  },
};
