import { missionEvents } from '@granary/core/missions/events';
import {
  isMissionFinished,
  isMissionOver,
  MISSION_DOCUMENT,
  type MissionState,
} from '@granary/core/missions/state';
import { UPLOAD_LEAD_MS } from '@granary/core/missions/transitions';
import type { FactRows } from '@granary/store/tables/fact-rows';
import { JobTable } from '@granary/store/tables/jobs';

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
  // An alert is raised for a start that the device does not answer.
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

/** For each device the missions that occupy it, and the one that ended last. */
export const currentMissionsIn = ({ missionsUnderWay, lastEndedMissions }: FactRows): MissionState[] => [
  ...MISSIONS.restored(lastEndedMissions),
  ...MISSIONS.restored(missionsUnderWay),
];
