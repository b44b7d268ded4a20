import type { MissionRecord } from '@granary/contract/missions/missions';
import { useScope } from '../../console.ts';
import { Time } from '../../parts/age.tsx';
import { addressOf } from '../../routes.ts';
import { texts } from '../../texts/texts.ts';
import { missionStatus } from './mission-status.ts';

interface Props {
  readonly deviceId: string;
  readonly missions: readonly MissionRecord[] | undefined;
  readonly shownId: string | null;
}

/** The newest missions of a vehicle; each leads to its waypoints. */
export function MissionList({ deviceId, missions: all, shownId }: Props) {
  const { missions } = texts.value;
  const mayOperate = useScope('operate');
  return (
    <section aria-label={missions.title}>
      <div class="map-facility">
        <h3>{missions.title}</h3>
        {mayOperate && (
          <a class="button" href={addressOf('map', null, { device: deviceId, mode: 'plan' })}>
            {missions.plan}
          </a>
        )}
      </div>
      {all?.length === 0 && <p class="muted">{missions.none}</p>}
      <ul class="map-list">
        {all?.map(({ mission_id, mission_name, status, result, scheduled_start }) => (
          <li key={mission_id}>
            <a
              href={addressOf('map', null, { device: deviceId, mission: mission_id })}
              aria-current={mission_id === shownId ? 'true' : undefined}
            >
              <strong class="free-text">{mission_name}</strong>
              <span>{missionStatus({ status, result }, missions)}</span>
              <span class="muted wide">
                <Time at={scheduled_start} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
