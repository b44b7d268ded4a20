import type { MissionRecord } from '@granary/contract/missions/missions';
import { useEffect } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { useLoaded } from '../../parts/use-loaded.ts';

const SHOWN_MAX = 10;

/** The newest missions of a vehicle, with one more that is wanted; those under way as they are now. */
export function useMissions(deviceId: string, wantedId: string | null): readonly MissionRecord[] | undefined {
  const { client, live } = useConsole();
  const { state } = live.connection.current.value;
  const loaded = useLoaded(
    async (signal) => {
      const { data } = await client.missions.list(deviceId, { limit: SHOWN_MAX }, { signal });
      const isKnown = wantedId === null || data.some(({ mission_id }) => mission_id === wantedId);
      return isKnown ? data : [...data, await client.missions.get(deviceId, wantedId, { signal })];
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
  return loaded.value?.map((mission) => underWay.get(mission.mission_id) ?? mission);
}
