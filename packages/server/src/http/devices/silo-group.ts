import { siloDetail } from '@granary/core/devices/record';
import type { DeviceGroupRoutes } from './device-group.ts';
import { capacityOf } from './find-device.ts';

export const SILO_GROUP: DeviceGroupRoutes = {
  group: 'silo',
  detailOfNew: (device, nowMs) => siloDetail({ device, capacityKg: capacityOf(device), latest: {} }, nowMs),
  readDetail: async (app, device, now) => {
    const latest = await app.telemetry.latest(device.deviceNo);
    return siloDetail({ device, capacityKg: capacityOf(device), latest }, now());
  },
};
