import type { MissionRecord } from '@granary/contract/missions/missions';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { useLoaded } from '../../parts/use-loaded.ts';

const SHOWN_MAX = 10;

interface NewestMissions {
  /** `undefined` until they were read. */
  readonly missions: readonly MissionRecord[] | undefined;
  readonly failure: unknown;
}

/** The newest missions of a vehicle, with one more that is wanted if there is one; those under way as they are now. */
export function useMissions(deviceId: string, wantedId: string | null): NewestMissions {
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
