import { MISSED_REPORTS_MAX } from '@granary/core/devices/status';
import type { Sql } from '@granary/store/sql';
import { countDevices } from '@granary/store/tables/fleet/counts';
import {
  countByStatus,
  countOpenAlertsByType,
  countUnfinishedByStatus,
} from '@granary/store/tables/fleet/status-counts';

const EVERY_DEVICE = { facilities: null, deviceIds: null };

/** The numbers of all devices, open alerts and unfinished jobs, as separate reads, so that none of them takes long. */
export const statusCounts = {
  countDevices: (sql: Sql, nowMs: number) =>
    countDevices(sql, EVERY_DEVICE, { nowMs, missedReportsMax: MISSED_REPORTS_MAX }),
  countAlerts: (sql: Sql) => countOpenAlertsByType(sql),
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
