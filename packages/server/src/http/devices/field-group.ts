import type { FieldDetail } from '@granary/contract/devices';
import { emergencyStopSummary } from '@granary/core/commands/emergency-stop';
import type { CommandState } from '@granary/core/commands/state';
import type { StoredDevice } from '@granary/store/tables/devices';
import { commonDetail, type DeviceGroupRoutes } from './device-group.ts';

export const FIELD_GROUP: DeviceGroupRoutes = {
  kind: 'field',
  detailOfNew: (device, nowMs) => fieldDetail(device, undefined, nowMs),
  readDetail: async (app, device, now) =>
    fieldDetail(device, await app.commands.stopInForce(device.deviceNo), now()),
};

const fieldDetail = (device: StoredDevice, stop: CommandState | undefined, nowMs: number): FieldDetail => ({
  ...commonDetail(device, nowMs),
  emergency_stop: emergencyStopSummary(stop),
});
