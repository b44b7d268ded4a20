import type { MissionRecord } from '@granary/contract/missions/missions';
import { formatLength } from '../../format/lengths.ts';
import { formatDuration } from '../../format/times.ts';
import { Time } from '../../parts/age.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { MissionControls } from './mission-controls.tsx';

interface Props {
  readonly deviceId: string;
  readonly mission: MissionRecord;
}

/** One mission, waypoint by waypoint. */
export function MissionPanel({ deviceId, mission }: Props) {
  const { missions } = texts.value;
  const { mission_name, status, status_detail, waypoints, preflight } = mission;
  const reached = waypoints.filter((waypoint) => waypoint.status === 'reached').length;
  return (
    <section class="map-mission-panel" aria-label={mission_name}>
      <h3 class="free-text">{mission_name}</h3>
      <p>
        <strong>{missions.statuses[status]}</strong>{' '}
        <span class="muted">
          {formatLength(preflight.distance_m, locale.value)} · {formatDuration(preflight.duration_s * 1_000)}
        </span>
      </p>
      <progress max={waypoints.length} value={reached} aria-label={missions.progress}>
        {missions.waypointsReached(reached, waypoints.length)}
      </progress>
      <p role="status">{status_detail}</p>
      <MissionControls deviceId={deviceId} mission={mission} />
      <ol class="map-steps">
        {waypoints.map((waypoint, index) => (
          <li key={index} class={waypoint.status}>
            <span class="number">{index + 1}</span>
            <span>{missions.actions[waypoint.action]}</span>
            <span class="state">
              {missions.waypointStatuses[waypoint.status]}
              {waypoint.reached_at !== null && (
                <>
                  {' '}
                  <Time at={waypoint.reached_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
