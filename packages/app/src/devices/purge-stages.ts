import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import { tellsOnlyOf } from '@granary/core/devices/purge';
import { NOTIFICATION_DOCUMENT } from '@granary/core/notifications/record';
import type { Sql } from '@granary/store/sql';
import {
  type PurgedRange,
  type PurgeStep,
  purgeAlerts,
  purgeBuckets,
  purgeNotifications,
  purgeNumbered,
  purgeReadingChunks,
  purgeReadings,
  purgeTracks,
} from '@granary/store/tables/purge/purge-rows';

interface StageRange extends PurgedRange {
  readonly deviceId: string;
}

type PurgeStage = (sql: Sql, range: StageRange) => Promise<PurgeStep>;

/** In this order; a stored purge continues by the number of its stage, so a new stage is added at the end. */
export const PURGE_STAGES: readonly PurgeStage[] = [
  purgeReadings,
  (sql, range) => purgeBuckets(sql, INTERVAL_MS['5m'], range),
  (sql, range) => purgeBuckets(sql, INTERVAL_MS['1h'], range),
  (sql, range) => purgeBuckets(sql, INTERVAL_MS['1d'], range),
  purgeTracks,
  purgeAlerts,
  (sql, range) => purgeNumbered(sql, 'operations', range),
  (sql, range) => purgeNumbered(sql, 'commands', range),
  (sql, range) => purgeNumbered(sql, 'missions', range),
  (sql, range) => purgeNumbered(sql, 'rejections', range),
  (sql, range) => purgeNotifications(sql, range, (body) => tellsOnlyOfDevice(range.deviceId, body)),
  purgeReadingChunks,
];

/** A message that cannot be read is left to its own time limit. */
function tellsOnlyOfDevice(deviceId: string, body: string): boolean {
  try {
    return tellsOnlyOf(deviceId, NOTIFICATION_DOCUMENT.read(body));
  } catch {
    return false;
  }
}
