import type { DeviceStatus } from '@granary/contract/devices/statuses';
import type { FleetDevice } from '@granary/contract/fleet/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { ALERT_DOCUMENT } from '@granary/core/alerts/lifecycle';
import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import { fleetDevice } from '@granary/core/fleet/device-record';
import { searchTexts } from '@granary/core/fleet/search';
import type { Sql } from '@granary/store/sql';
import { listDevicesOfFleet } from '@granary/store/tables/fleet/device-list';
import {
  type FleetAlertPage,
  type FleetJobPage,
  listAlertsOfFleet,
  listJobsOfFleet,
} from '@granary/store/tables/fleet/lists';
import type { PartWanted } from '@granary/store/tables/fleet/parts';
import type { DeviceSelection } from '@granary/store/tables/fleet/place';
import { listSeenSince } from '@granary/store/tables/fleet/seen-devices';
import { latestOfDevices } from '@granary/store/tables/telemetry/latest-values';
import { COMMANDS } from '../commands/command-jobs.ts';
import { MISSIONS } from '../missions/mission-jobs.ts';
import { OPERATIONS } from '../operations/operation-jobs.ts';
import { readOverview } from './overview.ts';
import { statusCounts } from './status-counts.ts';

export interface DevicesPage {
  readonly devices: DeviceSelection;
  readonly profileName: ProfileName | null;
  readonly status: DeviceStatus | null;
  /** A part of the id, the name or the model. */
  readonly text: string | null;
  readonly withReadings: boolean;
  /** Removed devices instead of the others. */
  readonly isRemoved: boolean;
  readonly afterDeviceId: string | null;
  readonly limit: number;
  readonly nowMs: number;
}

/** Views of all devices that a key may access. */
export const reads = {
  /** The newest values of the whole page are read with one statement. */
  async devices(sql: Sql, page: DevicesPage): Promise<FleetDevice[]> {
    const { text, nowMs, withReadings, ...wanted } = page;
    const clock = { nowMs, missedReportsMax: MISSED_REPORTS_MAX };
    const texts = text === null ? null : searchTexts(text);
    const found = await listDevicesOfFleet(sql, { ...wanted, clock, texts });
    const latest = withReadings
      ? await latestOfDevices(
          sql,
          found.map(({ deviceNo }) => deviceNo),
        )
      : null;
    return found.map((device) =>
      fleetDevice(device, latest === null ? null : (latest.get(device.deviceNo) ?? []), nowMs),
    );
  },

  alerts: (sql: Sql, page: FleetAlertPage) => listAlertsOfFleet(sql, ALERT_DOCUMENT, page),
  operations: (sql: Sql, page: FleetJobPage) => listJobsOfFleet(sql, OPERATIONS.kind, page),
  commands: (sql: Sql, page: FleetJobPage) => listJobsOfFleet(sql, COMMANDS.kind, page),
  missions: (sql: Sql, page: FleetJobPage) => listJobsOfFleet(sql, MISSIONS.kind, page),
  seenSince: (sql: Sql, sinceMs: number, part: PartWanted) => listSeenSince(sql, sinceMs, part),
  overview: readOverview,
  ...statusCounts,
};

export const writes = {};
