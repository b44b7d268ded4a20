import type { MissionRecord } from '@granary/contract/missions/missions';
import type { Point } from '@granary/contract/positions';
import { texts } from '../../texts/texts.ts';
import { pathOf } from '../surface/path.ts';
import { screenOf } from '../surface/projection.ts';
import { useView } from '../surface/surface-context.ts';
import { missionPath } from './mission-path.ts';

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
