import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import type { Sql } from '@granary/store/sql';
import type { PartWanted } from '@granary/store/tables/fleet/parts';
import {
  countByStatus,
  countDevicesInPart,
  countOpenAlertsInPart,
  countUnfinishedByStatus,
} from '@granary/store/tables/fleet/status-counts';

/** The numbers of all devices, open alerts and unfinished jobs, as separate reads, so that none of them takes long. */
export const statusCounts = {
  countDevices: (sql: Sql, nowMs: number, part: PartWanted) =>
    countDevicesInPart(sql, { nowMs, missedReportsMax: MISSED_REPORTS_MAX }, part),
  countAlerts: (sql: Sql, part: PartWanted) => countOpenAlertsInPart(sql, part),
  /** Messages to people and programs that wait, and those that were given up. */
  async countMessages(sql: Sql) {
    return {
      deliveries: await countByStatus(sql, 'webhook_deliveries', ['pending', 'dead']),
      notifications: await countByStatus(sql, 'notifications', ['pending', 'failed']),
    };
  },
  async countJobs(sql: Sql) {
    return {
      operations: await countUnfinishedByStatus(sql, 'operations'),
      commands: await countUnfinishedByStatus(sql, 'commands'),
      missions: await countUnfinishedByStatus(sql, 'missions'),
    };
  },
};
