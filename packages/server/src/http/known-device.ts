import type { DeviceKind } from '@granary/contract/channels';
import { Refusal } from '@granary/contract/errors';
import { sees } from '@granary/core/keys';
import type { StoredDevice } from '@granary/store/devices';
import type { Store } from '@granary/store/store';
import type { FastifyRequest } from 'fastify';

export interface DevicePath {
  Params: { device_id: string };
}

interface Found {
  readonly deviceId: string;
  readonly kind: DeviceKind;
  readonly facility: string;
}

/** What was found, if it is of this group and the caller may know of it. */
export function knownTo<D extends Found>(
  { caller }: FastifyRequest<DevicePath>,
  kind: DeviceKind,
  found: D | undefined,
): D {
  if (found !== undefined && found.kind === kind && sees(caller, found)) return found;
  const isInOtherGroup = found !== undefined && sees(caller, found);
  const where = found?.kind === 'field' ? 'field devices' : 'silo scales';
  const hint = isInOtherGroup ? ` in this group; it is one of the ${where}` : '';
  throw new Refusal('device_not_found', `there is no such device${hint}`);
}

export const knownDevice = async (
  request: FastifyRequest<DevicePath>,
  store: Store,
  kind: DeviceKind,
): Promise<StoredDevice> => knownTo(request, kind, await store.devices.find(request.params.device_id));

/** Silos are registered with a capacity, always. */
export function capacityOf({
  deviceId,
  capacityKg,
}: {
  deviceId: string;
  capacityKg: number | null;
}): number {
  if (capacityKg === null) throw new Error(`silo ${deviceId} has no capacity`);
  return capacityKg;
}
