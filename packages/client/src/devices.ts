import type {
  DeviceCredentials,
  DeviceSummary,
  FieldDetail,
  FieldRegistration,
  Rejections,
  SiloDetail,
  SiloRegistration,
} from '@granary/contract/devices';
import type { Page } from '@granary/contract/envelope';
import type { LinkStatus } from '@granary/contract/link/link-status';
import { everyItem, type PageRequest } from './pages.ts';
import type { Transport } from './transport.ts';

/** The secret is in this answer and never again. */
export type Registered<Detail> = Detail & { readonly credentials: DeviceCredentials };

/** The same questions for silos and for field devices; only the shapes differ. */
export interface DeviceGroup<Detail, Registration> {
  list(request?: PageRequest): Promise<Page<DeviceSummary>>;
  /** Every device, page after page. */
  listAll(): AsyncGenerator<DeviceSummary, void, undefined>;
  get(deviceId: string): Promise<Detail>;
  register(registration: Registration): Promise<Registered<Detail>>;
  /** Makes a new secret; the old one stops working. */
  renewCredentials(deviceId: string): Promise<DeviceCredentials>;
  /** Messages of this device that could not be used. */
  rejections(deviceId: string): Promise<Rejections>;
  /** Its MQTT connection: whether it is there, since when, and what went wrong last. */
  link(deviceId: string): Promise<LinkStatus>;
}

export interface DevicesClient {
  readonly silo: DeviceGroup<SiloDetail, SiloRegistration>;
  readonly field: DeviceGroup<FieldDetail, FieldRegistration>;
}

export interface GroupRoots {
  readonly silo: string;
  readonly field: string;
}

export const devicePath = (groupRoot: string, deviceId: string): string =>
  `${groupRoot}/devices/${encodeURIComponent(deviceId)}`;

export function devicesClient(transport: Transport, roots: GroupRoots): DevicesClient {
  return { silo: deviceGroup(transport, roots.silo), field: deviceGroup(transport, roots.field) };
}

function deviceGroup<Detail, Registration>(
  transport: Transport,
  root: string,
): DeviceGroup<Detail, Registration> {
  const list = (request: PageRequest = {}) =>
    transport.page<DeviceSummary>({ method: 'GET', path: `${root}/devices`, query: { ...request } });

  return {
    list,
    listAll: () => everyItem(list),
    get: (deviceId) => transport.data({ method: 'GET', path: devicePath(root, deviceId) }),
    register: (registration) =>
      transport.data({ method: 'POST', path: `${root}/devices`, body: registration }),
    renewCredentials: (deviceId) =>
      transport.data({ method: 'POST', path: `${devicePath(root, deviceId)}/credentials` }),
    rejections: (deviceId) =>
      transport.data({ method: 'GET', path: `${devicePath(root, deviceId)}/rejections` }),
    link: (deviceId) => transport.data({ method: 'GET', path: `${devicePath(root, deviceId)}/link` }),
  };
}
