import type { FieldCommand } from '@granary/contract/link/field-messages';
import type { MissionRecord, WaypointRecord } from '@granary/contract/missions';
import { statusOf } from '@granary/contract/sentences/english';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { declaredEndRecord, endedRecord } from '../jobs/declared-end.ts';
import { MOTION_EXPIRY_MS } from '../jobs/polling.ts';
import { missionStatusDetail } from './sentences.ts';
import { isMissionOver, type MissionState, type WaypointState } from './state.ts';
import type { MissionSend } from './steps.ts';

export function missionRecord(mission: MissionState): MissionRecord {
  const { plan } = mission;
  return {
    mission_id: mission.missionId,
    mission_name: mission.name,
    status: mission.status,
    ...statusOf(missionStatusDetail(mission)),
    scheduled_start: toIso(plan.startAtMs),
    created_at: toIso(mission.createdAtMs),
    dispatched_at: toIsoOrNull(mission.dispatchedAtMs),
    started_at: toIsoOrNull(mission.startedAtMs),
    ended_at: toIsoOrNull(mission.endedAtMs),
    requested: mission.requested,
    link_lost_at: toIsoOrNull(mission.linkLostAtMs),
    link_loss_action: plan.linkLossAction,
    preflight: plan.preflight,
    waypoints: waypointRecords(mission),
    result: endedRecord(mission.result),
    declared: declaredEndRecord(mission.declared),
    requested_by: mission.requestedBy,
    cancelled_by: mission.cancelledBy,
  };
}

/** A waypoint that was not reached when the mission ended is shown as skipped; a late report may still correct that. */
function waypointRecords(mission: MissionState): WaypointRecord[] {
  const isOver = isMissionOver(mission);
  return mission.plan.waypoints.flatMap((waypoint, index) => {
    const state = mission.waypoints[index];
    if (state === undefined) return [];
    const isUnfinished = state.status === 'pending' || state.status === 'active';
    const report = waypointReport(state);
    return { ...waypoint, ...report, status: isOver && isUnfinished ? 'skipped' : report.status };
  });
}

export const waypointReport = ({ status, reachedAtMs, actionResult }: WaypointState) => ({
  status,
  reached_at: deviceIsoOrNull(reachedAtMs),
  action_result: actionResult,
});

const TIME_MS_MAX = 8.64e15;

/** A device may send any number as a time; one outside the range of dates is shown as `null`. */
const deviceIsoOrNull = (timeMs: number | null): string | null =>
  timeMs !== null && Math.abs(timeMs) <= TIME_MS_MAX ? toIso(timeMs) : null;

export function missionMessage(mission: MissionState, send: MissionSend): FieldCommand {
  const { missionId: mission_id, plan } = mission;
  switch (send) {
    case 'upload':
      return {
        command: 'mission_upload',
        mission_id,
        waypoints: plan.waypoints.slice(),
        start_at: toIso(plan.startAtMs),
        expires_at: toIso(plan.expiresAtMs),
        link_loss_action: plan.linkLossAction,
      };
    case 'start':
      return { command: 'mission_start', mission_id, expires_at: motionExpiry(mission.startSentAtMs) };
    case 'resume':
      return { command: 'mission_resume', mission_id, expires_at: motionExpiry(mission.requestSentAtMs) };
    case 'pause':
      return { command: 'mission_pause', mission_id };
    case 'cancel':
      return { command: 'mission_cancel', mission_id };
    case 'report':
      return { command: 'report', mission_id };
  }
}

/** Without a send time the message counts as expired, so that no device carries it out. */
const motionExpiry = (sentAtMs: number | null): string =>
  toIso(sentAtMs === null ? 0 : sentAtMs + MOTION_EXPIRY_MS);
