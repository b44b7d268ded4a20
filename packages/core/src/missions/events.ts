import type { EventType } from '@granary/contract/events';
import { isSameSentence, messageOf } from '@granary/contract/sentences/english';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { waypointReport } from './record.ts';
import type { MissionEnd, MissionState } from './state.ts';

/** A report may change 500 waypoints; an event lists this many of them and counts the others. */
const EVENT_WAYPOINTS_MAX = 10;
/** Keeps an event below two kilobytes, however long the device's reason is. */
const EVENT_MESSAGE_CHARS_MAX = 200;

export interface MissionEvent {
  readonly type: EventType;
  readonly data: object;
}

/** The events of a change contain only what changed, because a whole mission may have 500 waypoints. */
export function missionEvents(before: MissionState | null, after: MissionState): MissionEvent[] {
  const events: MissionEvent[] = [];
  const isNewStatus = before?.status !== after.status;
  if (isNewStatus) events.push({ type: 'mission.status_changed', data: statusData(before, after) });
  if (before === null) return events;
  if (!isNewStatus && !isSameDetail(before, after)) {
    events.push({ type: 'mission.updated', data: statusData(before, after) });
  }
  if (before.waypoints !== after.waypoints) {
    events.push({ type: 'mission.waypoint_changed', data: waypointData(before, after) });
  }
  return events;
}

const isSameDetail = (a: MissionState, b: MissionState): boolean =>
  a.requested === b.requested &&
  a.plan.linkLossAction === b.plan.linkLossAction &&
  a.linkLostAtMs === b.linkLostAtMs &&
  a.result?.reason === b.result?.reason &&
  isSameSentence(a.result?.message ?? null, b.result?.message ?? null);

const statusData = (before: MissionState | null, { plan, result, ...mission }: MissionState) => ({
  mission_id: mission.missionId,
  status: mission.status,
  previous_status: before?.status ?? null,
  scheduled_start: toIso(plan.startAtMs),
  requested: mission.requested,
  link_lost_at: toIsoOrNull(mission.linkLostAtMs),
  result: result && shortResult(result),
});

function shortResult({ reason, message: { code, values } }: MissionEnd) {
  const short = (value: unknown) =>
    typeof value === 'string' ? value.slice(0, EVENT_MESSAGE_CHARS_MAX) : value;
  const told = {
    code,
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, short(value)])),
  };
  const { message, ...fields } = messageOf(told);
  return { reason, message: message.slice(0, EVENT_MESSAGE_CHARS_MAX), ...fields };
}

function waypointData(before: MissionState, after: MissionState) {
  const changed = after.waypoints.flatMap((waypoint, index) =>
    waypoint === before.waypoints[index] ? [] : [{ index, ...waypointReport(waypoint) }],
  );
  return {
    mission_id: after.missionId,
    status: after.status,
    waypoints_reached: after.waypoints.filter(({ status }) => status === 'reached').length,
    waypoints_total: after.waypoints.length,
    waypoints_changed: changed.length,
    waypoints: changed.slice(0, EVENT_WAYPOINTS_MAX),
  };
}
