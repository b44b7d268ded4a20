import type { MissionRecord } from '@granary/contract/missions/missions';
import { useEffect } from 'preact/hooks';
import { useConsole, useScope } from '../../console.ts';
import { MISSION_UNDER_WAY } from '../../live/jobs.ts';
import { Time } from '../../parts/age.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { addressOf } from '../../routes.ts';
import { texts } from '../../texts/texts.ts';
import type { MapContents } from '../contents.ts';
import { MissionPanel } from './mission-panel.tsx';
import { missionStatus } from './mission-status.ts';

const SHOWN_MAX = 10;

interface Props {
  readonly deviceId: string;
  /** The mission that the address names; without one it is the one under way. */
  readonly missionId: string | null;
  readonly contents: MapContents;
}

/** The mission that is followed, and the list of the newest ones. */
export function MissionsMode({ deviceId, missionId, contents }: Props) {
  const { map } = texts.value;
  const { missions, failure } = useMissions(deviceId, missionId);
  const mayConfigure = useScope('configure');
  const shown =
    missions?.find(({ mission_id, status }) =>
      missionId === null ? MISSION_UNDER_WAY.includes(status) : mission_id === missionId,
    ) ?? null;
  useEffect(() => {
    contents.mission.value = shown;
  }, [shown]);
  useEffect(
    () => () => {
      contents.mission.value = null;
    },
    [],
  );
  return (
    <>
      {shown !== null && <MissionPanel deviceId={deviceId} mission={shown} />}
      <Failure of={failure} />
      <MissionList deviceId={deviceId} missions={missions} shownId={shown?.mission_id ?? null} />
      {mayConfigure && (
        <p>
          <a class="button" href={addressOf('map', null, { device: deviceId, mode: 'geofence' })}>
            {map.editGeofence}
          </a>
        </p>
      )}
    </>
  );
}

interface MissionListProps {
  readonly deviceId: string;
  readonly missions: readonly MissionRecord[] | undefined;
  readonly shownId: string | null;
}

/** The newest missions of a vehicle; each leads to its waypoints. */
function MissionList({ deviceId, missions: all, shownId }: MissionListProps) {
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

interface NewestMissions {
  /** `undefined` until they were read. */
  readonly missions: readonly MissionRecord[] | undefined;
  readonly failure: unknown;
}

/** The newest missions of a vehicle, with one more that is wanted if there is one; those under way as they are now. */
function useMissions(deviceId: string, wantedId: string | null): NewestMissions {
  const { client, live } = useConsole();
  const { state } = live.connection.current.value;
  const loaded = useLoaded(
    async (signal) => {
      const { data } = await client.missions.list(deviceId, { limit: SHOWN_MAX }, { signal });
      const isKnown = wantedId === null || data.some(({ mission_id }) => mission_id === wantedId);
      if (isKnown) return data;
      const wanted = await client.missions.get(deviceId, wantedId, { signal }).catch(() => null);
      return wanted === null ? data : [...data, wanted];
    },
    [deviceId, wantedId, state],
  );
  useEffect(
    () =>
      live.onEvent((event) => {
        if (event.device_id === deviceId && event.type.startsWith('mission.')) loaded.reload();
      }),
    [deviceId],
  );
  const underWay = live.site.missions.all.value;
  const missions = loaded.value?.map((mission) => underWay.get(mission.mission_id) ?? mission);
  return { missions, failure: loaded.failure };
}
