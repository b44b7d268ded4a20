import { fieldDetail } from '@granary/core/devices/record';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import type { DeviceGroupRoutes } from './device-group.ts';

export const FIELD_GROUP: DeviceGroupRoutes = {
  group: 'field',
  detailOfNew: (device, nowMs) =>
    fieldDetail({ device, reception: null, latest: {}, stop: undefined }, nowMs),
  readDetail: async (app, device, now) => {
    const { deviceNo, profile, sensorDocument } = device;
    const [latest, reception, stop] = await Promise.all([
      app.telemetry.latest(deviceNo, sensorsOf(profile, sensorDocument)),
      app.devices.reception(deviceNo),
      app.commands.stopInForce(deviceNo),
    ]);
    return fieldDetail({ device, reception, latest, stop }, now());
  },
};
