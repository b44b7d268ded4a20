import type { MissionRequestKind } from '@granary/contract/missions/missions';
import { HOME, type ScriptedRover } from './devices/scripted-rover.ts';
import type { Api } from './service.ts';

/** Some metres from where a scripted rover stands. */
export const WAYPOINT = { lat: HOME.latitude + 0.0001, lng: HOME.longitude, action: 'scan' as const };

export const TWO_WAYPOINTS = {
  mission_name: 'Two samples',
  waypoints: [
    WAYPOINT,
    { lat: HOME.latitude, lng: HOME.longitude + 0.0001, action: 'collect_sample' as const },
  ],
};

export function missionOf(api: Api, rover: ScriptedRover, id: string) {
  const path = `${rover.path}/missions/${id}`;
  const get = async () => (await api.get(path)).body.data;
  return {
    get,
    status: async (): Promise<string> => (await get()).status,
    waypoints: async (): Promise<string[]> =>
      (await get()).waypoints.map(({ status }: { status: string }) => status),
    ask: (wish: MissionRequestKind) => api.post(`${path}/${wish}`),
  };
}

/** A mission that begins now and that the device has been sent. */
export async function dispatched(api: Api, rover: ScriptedRover) {
  const created = await api.post(`${rover.path}/missions`, TWO_WAYPOINTS);
  const id: string = created.body.data.mission_id;
  await rover.take('mission_upload');
  return { id, mission: missionOf(api, rover, id) };
}

/** One that the device says it is carrying out. */
export async function running(api: Api, rover: ScriptedRover) {
  const started = await dispatched(api, rover);
  await rover.ack({ mission_id: started.id, accepted: true });
  await rover.take('mission_start');
  await rover.missionProgress({ mission_id: started.id, state: 'running' });
  return started;
}
