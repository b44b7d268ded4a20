import type { EventType } from '@granary/contract/events';
import type { FieldCommand, MissionControlName } from '@granary/contract/field-link';
import type { MissionRecord, WaypointRecord } from '@granary/contract/missions';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { isMissionOver, type MissionState } from './mission-state.ts';
import type { MissionSend } from './mission-steps.ts';

/** As callers see it. */
export function missionRecord(mission: MissionState): MissionRecord {
  const { plan } = mission;
  return {
    mission_id: mission.missionId,
    mission_name: mission.name,
    status: mission.status,
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
    result: mission.result,
  };
}

/** What was not reached when a mission ended is skipped; a late word may still tell otherwise. */
function waypointRecords(mission: MissionState): WaypointRecord[] {
  const isOver = isMissionOver(mission);
  return mission.plan.waypoints.flatMap((waypoint, index) => {
    const state = mission.waypoints[index];
    if (state === undefined) return [];
    const isUndone = state.status === 'pending' || state.status === 'active';
    return {
      ...waypoint,
      status: isOver && isUndone ? 'skipped' : state.status,
      reached_at: toIsoOrNull(state.reachedAtMs),
      action_result: state.actionResult,
    };
  });
}

/** What the event log says of a change. */
export function missionEvents(before: MissionState | null, after: MissionState): EventType[] {
  const events: EventType[] = [];
  const isSame = before?.status === after.status && before.requested === after.requested;
  if (!isSame || before.linkLostAtMs !== after.linkLostAtMs) events.push('mission.status_changed');
  if (before !== null && before.waypoints !== after.waypoints) events.push('mission.waypoint_changed');
  return events;
}

const CONTROLS = {
  start: 'mission_start',
  pause: 'mission_pause',
  resume: 'mission_resume',
  cancel: 'mission_cancel',
} as const satisfies Record<Exclude<MissionSend, 'upload' | 'report'>, MissionControlName>;

/** As the device is told. */
export function missionMessage({ missionId, plan }: MissionState, send: MissionSend): FieldCommand {
  const mission_id = missionId;
  if (send === 'report') return { command: 'report', mission_id };
  if (send !== 'upload') return { command: CONTROLS[send], mission_id };
  return {
    command: 'mission_upload',
    mission_id,
    waypoints: plan.waypoints.slice(),
    start_at: toIso(plan.startAtMs),
    expires_at: toIso(plan.expiresAtMs),
    link_loss_action: plan.linkLossAction,
  };
}
