import type { Page } from '@granary/contract/envelope';
import type { Mission, MissionQuery, MissionRecord } from '@granary/contract/missions';
import { devicePath, type GroupRoots } from './devices.ts';
import { everyItem, type PageRequest } from './pages.ts';
import { type Repeatable, repeatable } from './repeatable.ts';
import type { Transport } from './transport.ts';

export type MissionFilter = Pick<MissionQuery, 'status'>;

export interface MissionsClient {
  create(deviceId: string, mission: Mission, options?: Repeatable): Promise<MissionRecord>;
  get(deviceId: string, missionId: string): Promise<MissionRecord>;
  /** Safe to repeat, like `pause` and `resume`. It is done once the status says so. */
  cancel(deviceId: string, missionId: string): Promise<MissionRecord>;
  pause(deviceId: string, missionId: string): Promise<MissionRecord>;
  resume(deviceId: string, missionId: string): Promise<MissionRecord>;
  /** Newest first. */
  list(deviceId: string, filter?: MissionFilter & PageRequest): Promise<Page<MissionRecord>>;
  /** Every mission, page after page. */
  listAll(deviceId: string, filter?: MissionFilter): AsyncGenerator<MissionRecord, void, undefined>;
}

export function missionsClient(transport: Transport, roots: GroupRoots): MissionsClient {
  const root = (deviceId: string) => `${devicePath(roots.field, deviceId)}/missions`;
  const path = (deviceId: string, missionId: string) => `${root(deviceId)}/${encodeURIComponent(missionId)}`;
  const control = (what: 'cancel' | 'pause' | 'resume') => (deviceId: string, missionId: string) =>
    transport.data<MissionRecord>({ method: 'POST', path: `${path(deviceId, missionId)}/${what}` });
  const list: MissionsClient['list'] = (deviceId, filter = {}) =>
    transport.page({ method: 'GET', path: root(deviceId), query: { ...filter } });

  return {
    create: (deviceId, body, options) =>
      transport.data({ method: 'POST', path: root(deviceId), body, headers: repeatable(options) }),
    get: (deviceId, missionId) => transport.data({ method: 'GET', path: path(deviceId, missionId) }),
    cancel: control('cancel'),
    pause: control('pause'),
    resume: control('resume'),
    list,
    listAll: (deviceId, filter = {}) => everyItem((page) => list(deviceId, { ...filter, ...page })),
  };
}
