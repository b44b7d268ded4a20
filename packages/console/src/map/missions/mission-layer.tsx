import type { MissionRecord } from '@granary/contract/missions/missions';
import type { Point } from '@granary/contract/positions';
import { MISSION_UNDER_WAY } from '../../live/jobs.ts';
import { texts } from '../../texts/texts.ts';
import { pathOf } from '../surface/path.ts';
import { screenOf } from '../surface/projection.ts';
import { useView } from '../surface/surface-context.ts';

interface Props {
  readonly mission: MissionRecord;
  readonly vehicle: Point | null;
}

/** What is planned is dashed, what is done is solid. */
export function MissionLayer({ mission, vehicle }: Props) {
  const view = useView();
  const { missions } = texts.value;
  const { done, left } = missionPath(mission, vehicle);
  return (
    <g class="map-mission">
      <path class="left" d={pathOf(left, view)} />
      <path class="done" d={pathOf(done, view)} />
      {mission.waypoints.map((waypoint, index) => {
        const { x, y } = screenOf(waypoint, view);
        return (
          <g key={index} class={`stop-point ${waypoint.status}`} transform={`translate(${x} ${y})`}>
            <title>{`${missions.waypoint(index + 1)}: ${missions.waypointStatuses[waypoint.status]}`}</title>
            <circle r="10" />
            <text y="4">{index + 1}</text>
          </g>
        );
      })}
    </g>
  );
}

interface MissionPath {
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
