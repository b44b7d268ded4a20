import type { MissionRequestKind } from '@granary/contract/missions';
import { HOUR_MS, toIso } from '@granary/contract/time';
import { HOME, type ScriptedRover } from './devices/scripted-rover.ts';
import type { Api } from './service.ts';

/** A waypoint some metres from the position of a scripted rover. */
export const WAYPOINT = { lat: HOME.latitude + 0.0001, lng: HOME.longitude, action: 'scan' as const };

export const TWO_WAYPOINTS = {
  mission_name: 'Two samples',
  waypoints: [
    WAYPOINT,
    { lat: HOME.latitude, lng: HOME.longitude + 0.0001, action: 'collect_sample' as const },
  ],
};

/** The request of the same mission with a start time. */
export const missionInHours = (hours: number) => ({
  ...TWO_WAYPOINTS,
  scheduled_start: toIso(Date.now() + hours * HOUR_MS),
});

export function missionOf(api: Api, rover: ScriptedRover, id: string) {
  const path = `${rover.path}/missions/${id}`;
  const get = async () => (await api.get(path)).body.data;
  return {
    get,
    status: async (): Promise<string> => (await get()).status,
    waypoints: async (): Promise<string[]> =>
      (await get()).waypoints.map(({ status }: { status: string }) => status),
    request: (kind: MissionRequestKind) => api.post(`${path}/${kind}`),
  };
}

/** A mission that begins now and has been uploaded to the device. */
export async function dispatched(api: Api, rover: ScriptedRover) {
  const created = await api.post(`${rover.path}/missions`, TWO_WAYPOINTS);
  const id: string = created.body.data.mission_id;
  await rover.take('mission_upload');
  return { id, mission: missionOf(api, rover, id) };
}

/** A mission that the device reports as running. */
export async function running(api: Api, rover: ScriptedRover) {
  const started = await dispatched(api, rover);
  await rover.ack({ mission_id: started.id, accepted: true });
  await rover.take('mission_start');
  await rover.missionProgress({ mission_id: started.id, state: 'running' });
  return started;
}
