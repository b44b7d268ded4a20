import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { missionEvents } from '@granary/core/missions/events';
import { MISSIONS_AHEAD_MAX, withoutBase } from '@granary/core/missions/planning/plan';
import {
  isMissionFinished,
  isMissionOver,
  MISSION_DOCUMENT,
  type MissionState,
} from '@granary/core/missions/state';
import { UPLOAD_LEAD_MS } from '@granary/core/missions/transitions';
import type { Sql } from '@granary/store/sql';
import type { NewEvent } from '../events/event-rows.ts';
import { JobTable, type StoredJob } from '../jobs/job-rows.ts';
import type { OnUnreadable } from '../unreadable-row.ts';

const AT_ONCE_MS = 0;

export const MISSIONS = new JobTable<MissionState>({
  name: 'mission',
  idOf: ({ missionId }) => missionId,
  document: MISSION_DOCUMENT,
  isFinished: isMissionFinished,
  columnsOf: (before, after) => ({
    due_at_ms: after.status === 'scheduled' ? after.plan.startAtMs - UPLOAD_LEAD_MS : AT_ONCE_MS,
    ...claimOf(before, after),
  }),
  eventsOf: missionEvents,
  // An alert is raised if the device does not answer a start.
  concernsAlerts: (before, after) =>
    before?.status !== after.status ||
    before.result !== after.result ||
    before.startSentAtMs !== after.startSentAtMs ||
    before.requested !== after.requested,
  // A mission scheduled for later is not read before its time.
  dueColumn: 'due_at_ms',
});

/**
 * A mission claims its device when it is sent, not when the device reports it running. The claim ends with the mission and
 * is not renewed, also if the end was wrong.
 */
function claimOf(before: MissionState | null, after: MissionState): { claims_device?: number } {
  if (before === null || isMissionOver(after)) return { claims_device: 0 };
  return before.status === 'scheduled' && after.status === 'dispatched' ? { claims_device: 1 } : {};
}

/** Returns, for each device, the missions that occupy it and the one that ended last. */
export const currentMissionsIn = (
  lastEnded: readonly StoredJob[],
  underWay: readonly StoredJob[],
): MissionState[] => [...MISSIONS.restored(lastEnded), ...MISSIONS.restored(underWay)];

/** The condition for the mission that ended last, for each of the devices in the parameter `$1`. */
export const isLastEnded = (sql: Sql): string =>
  sql.isFound(
    'mission_no',
    `SELECT (SELECT mission_no FROM missions AS own
             WHERE own.device_no = alert_evaluations.device_no AND own.ended_at_ms IS NOT NULL
             ORDER BY own.ended_at_ms DESC, own.mission_no DESC LIMIT 1)
     FROM alert_evaluations WHERE ${sql.isOneOfNumbers('alert_evaluations.device_no', '$1')}`,
  );

/** The condition for the missions of the devices in the parameter `$1` that were sent and have not ended. */
export const isUnderWay = (sql: Sql): string =>
  `ended_at_ms IS NULL AND status <> 'scheduled' AND ${sql.isOneOfNumbers('device_no', '$1')}`;

/** The missions of these devices that were sent and have not ended. */
export async function missionsUnderWay(
  sql: Sql,
  deviceNos: readonly number[],
  onUnreadable?: OnUnreadable,
): Promise<MissionState[]> {
  return await MISSIONS.where(sql, isUnderWay(sql), [JSON.stringify(deviceNos)], onUnreadable);
}

/** At most `limit` of a device's missions that have not ended. */
export async function missionsNotEnded(sql: Sql, deviceNo: number, limit: number): Promise<MissionState[]> {
  const condition = `mission_no IN (
    SELECT mission_no FROM missions WHERE device_no = $1 AND ended_at_ms IS NULL ORDER BY mission_no LIMIT $2)`;
  return await MISSIONS.where(sql, condition, [deviceNo, limit]);
}

/** Changes the missions of a locked device that no longer has a base. Returns the events, which the write must log as its last step. */
export async function saveMissionsWithoutBase(
  sql: Sql,
  deviceNo: number,
  configuration: DeviceConfiguration,
  nowMs: number,
): Promise<NewEvent[]> {
  if (!('base' in configuration) || configuration.base !== null) return [];
  const events: NewEvent[] = [];
  for (const before of await missionsNotEnded(sql, deviceNo, MISSIONS_AHEAD_MAX)) {
    const change = MISSIONS.changeOf(before, withoutBase(before), nowMs);
    await MISSIONS.save(sql, change);
    events.push(...change.events);
  }
  return events;
}
