import type { ProfileName } from '@granary/contract/profiles/profiles';
import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import type { Sql } from '@granary/store/sql';
import type { DeviceSelection } from '../conditions.ts';
import type { StoredDevice } from '../device-rows.ts';
import { listDevicesOfFleet } from '../fleet/device-list.ts';
import { bucketBounds } from '../telemetry/bucket-rows.ts';
import { readRawPage } from '../telemetry/raw-pages.ts';

export interface ExportedDevicesPage {
  readonly devices: DeviceSelection;
  readonly profileName: ProfileName | null;
  readonly afterDeviceId: string | null;
  readonly limit: number;
  readonly nowMs: number;
}

/** Short reads, of which an export makes as many as it needs. */
export const reads = {
  /** Ordered by device id. */
  devices(sql: Sql, { nowMs, ...page }: ExportedDevicesPage): Promise<StoredDevice[]> {
    const clock = { nowMs, missedReportsMax: MISSED_REPORTS_MAX };
    return listDevicesOfFleet(sql, { ...page, clock, status: null, isRemoved: null, texts: null });
  },

  rawPage: readRawPage,

  bucketBounds,
};

export const writes = {};
