import { useEffect } from 'preact/hooks';
import { useScope } from '../../console.ts';
import { MISSION_UNDER_WAY } from '../../live/jobs.ts';
import { Failure } from '../../parts/failure.tsx';
import { addressOf } from '../../routes.ts';
import { texts } from '../../texts/texts.ts';
import type { MapContents } from '../contents.ts';
import { MissionList } from './mission-list.tsx';
import { MissionPanel } from './mission-panel.tsx';
import { useMissions } from './use-missions.ts';

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
