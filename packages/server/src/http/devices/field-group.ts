import { fieldDetail } from '@granary/core/devices/record';
import type { DeviceGroupRoutes } from './device-group.ts';

export const FIELD_GROUP: DeviceGroupRoutes = {
  group: 'field',
  detailOfNew: (device, nowMs) => fieldDetail(device, undefined, nowMs),
  readDetail: async (app, device, now) =>
    fieldDetail(device, await app.commands.stopInForce(device.deviceNo), now()),
};
