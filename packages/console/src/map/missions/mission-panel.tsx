import type { MissionRecord } from '@granary/contract/missions/missions';
import { useConsole } from '../../console.ts';
import { formatLength } from '../../format/lengths.ts';
import { withLocalTimes } from '../../format/sentences.ts';
import { formatDuration } from '../../format/times.ts';
import { Time } from '../../parts/age.tsx';
import { locale, texts } from '../../texts/texts.ts';
import { MissionControls } from './mission-controls.tsx';
import { missionStatus } from './mission-status.ts';

interface Props {
  readonly deviceId: string;
  readonly mission: MissionRecord;
}

/** One mission, waypoint by waypoint. */
export function MissionPanel({ deviceId, mission }: Props) {
  const { missions } = texts.value;
  const { nowMs } = useConsole().live.site.clock;
  const { mission_name, status_detail, waypoints, preflight } = mission;
  const reached = waypoints.filter((waypoint) => waypoint.status === 'reached').length;
  return (
    <section class="map-mission-panel" aria-label={mission_name}>
      <h3 class="free-text">{mission_name}</h3>
      <p>
        <strong>{missionStatus(mission, missions)}</strong>{' '}
        <span class="muted">
          {formatLength(preflight.distance_m, locale.value)} · {formatDuration(preflight.duration_s * 1_000)}
        </span>
      </p>
      <progress max={waypoints.length} value={reached} aria-label={missions.progress}>
        {missions.waypointsReached(reached, waypoints.length)}
      </progress>
      <p role="status" class="free-text">
        {withLocalTimes(status_detail, nowMs.peek(), locale.value)}
      </p>
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
