import type { MissionRecord } from '@granary/contract/missions';
import type { Point } from '@granary/contract/positions';
import { MISSION_UNDER_WAY } from '../live/site.ts';
import type { Texts } from '../texts/en/texts.ts';

export interface MissionPath {
  readonly done: readonly Point[];
  readonly left: readonly Point[];
}

/** The way that a mission has done, and what is left of it. While it is under way the vehicle is between both. */
export function missionPath(
  { waypoints, status }: Pick<MissionRecord, 'waypoints' | 'status'>,
  vehicle: Point | null,
): MissionPath {
  const lastReached = waypoints.findLastIndex((waypoint) => waypoint.status === 'reached');
  const reached = waypoints.slice(0, lastReached + 1).filter((waypoint) => waypoint.status === 'reached');
  const open = waypoints.slice(lastReached + 1);
  if (MISSION_UNDER_WAY.includes(status) && vehicle !== null) {
    const isBegun = status !== 'dispatched' && reached.length > 0;
    return { done: isBegun ? [...reached, vehicle] : reached, left: [vehicle, ...open] };
  }
  return { done: reached, left: [...reached.slice(-1), ...open] };
}

/** A mission that an emergency stop ended was not ended by the vehicle. */
export const missionStatus = (
  { status, result }: Pick<MissionRecord, 'status' | 'result'>,
  { statuses, endedByEmergencyStop }: Texts['missions'],
): string =>
  status === 'aborted' && result?.reason === 'emergency_stop' ? endedByEmergencyStop : statuses[status];
