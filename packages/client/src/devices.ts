import type { FieldDetail, SiloDetail } from '@granary/contract/devices/devices';
import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { callOf, derive } from './derive.ts';
import type { CallOptions } from './requests/call.ts';
import type { Transport } from './requests/transport.ts';

export interface VersionedDevice<Detail> {
  readonly device: Detail;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

/** `getVersioned` is written by hand, because the version of a device is in a header. */
export function devicesClient(transport: Transport, roots: GroupRoots) {
  const getVersioned =
    <Detail>(get: Endpoint) =>
    async (deviceId: string, options?: CallOptions): Promise<VersionedDevice<Detail>> => {
      const { body, headers } = await transport.exchange<Detail>(callOf(get, roots, [deviceId, options]));
      return { device: body.data, etag: headers.get('etag') };
    };
  const { silo, field } = endpoints.devices;
  return {
    silo: { ...derive(silo, transport, roots), getVersioned: getVersioned<SiloDetail>(silo.get) },
    field: { ...derive(field, transport, roots), getVersioned: getVersioned<FieldDetail>(field.get) },
  };
}
