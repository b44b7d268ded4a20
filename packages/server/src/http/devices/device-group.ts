import type { AppReads } from '@granary/app/app';
import type { StoredDevice } from '@granary/app/devices/device-rows';
import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { DeviceGroup } from '@granary/contract/devices/groups';

/** What the answers about devices of one group differ in. */
export interface DeviceGroupRoutes {
  readonly group: DeviceGroup;
  /** Of a device that has not reported anything and was not asked for anything. */
  detailOfNew(device: StoredDevice, nowMs: number): SiloDetail | FieldDetail;
  readDetail(app: AppReads, device: StoredDevice, now: () => number): Promise<SiloDetail | FieldDetail>;
}
