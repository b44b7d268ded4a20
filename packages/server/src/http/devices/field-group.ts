import { fieldDetail } from '@granary/core/devices/record';
import { sensorsInUse } from '@granary/core/sensors/declared-sensors';
import type { DeviceGroupRoutes } from './device-group.ts';

export const FIELD_GROUP: DeviceGroupRoutes = {
  group: 'field',
  detailOfNew: (device, nowMs) => fieldDetail({ device, latest: {}, stop: undefined }, nowMs),
  readDetail: async (app, device, now) => {
    const declared = sensorsInUse(device.sensorDocument);
    const latest = declared.length === 0 ? {} : await app.telemetry.latest(device.deviceNo, declared);
    return fieldDetail({ device, latest, stop: await app.commands.stopInForce(device.deviceNo) }, now());
  },
};
