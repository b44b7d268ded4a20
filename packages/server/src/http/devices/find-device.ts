import type { StoredDevice } from '@granary/app/device-rows';
import { Refusal } from '@granary/contract/errors';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import { GROUP_TITLES, PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { refuseRemoved } from '@granary/core/fleet/removal';
import { quoted } from '@granary/core/words';
import type { FastifyRequest } from 'fastify';
import type { DirectoryEntry } from '../../devices/device-directory.ts';
import { deadlineOf } from '../../devices/sending/urgent-deadline.ts';
import { refuseOutside } from '../access/credentials.ts';
import type { Parts } from '../route-dependencies.ts';

export interface DevicePath {
  Params: { device_id: string };
}

interface Found {
  readonly deviceId: string;
  readonly profile: ProfileName;
  readonly facility: string;
}

export const deviceNotFound = (deviceId: string): Refusal =>
  new Refusal('device_not_found', `there is no device ${quoted(deviceId)}, or this key may not see it`);

/** Returns the device if it belongs to this group and the key may access it. */
export function requireAccess<D extends Found>(
  request: FastifyRequest<DevicePath>,
  wanted: DeviceGroup,
  found: D | undefined,
): D {
  refuseOutside(request, found, () => deviceNotFound(request.params.device_id));
  const { group } = PROFILES[found.profile];
  if (group === wanted) return found;
  const where = GROUP_TITLES[group];
  throw new Refusal(
    'device_not_found',
    `${quoted(found.deviceId)} is not in this group; it is one of the ${where}`,
  );
}

/** A removed device is found by requests that only read. */
export const findDevice = async (
  request: FastifyRequest<DevicePath>,
  { directory, reads }: Parts<'directory' | 'reads'>,
  group: DeviceGroup,
): Promise<StoredDevice> => {
  const device = requireAccess(
    request,
    group,
    await directory.findBy(reads(request), request.params.device_id),
  );
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseRemoved(device);
  return device;
};

/** Every silo is registered with a capacity. */
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

/** The device of an urgent request, which must not wait for the storage. */
export const urgentTarget = async (
  request: FastifyRequest<DevicePath>,
  { directory }: Parts<'directory'>,
  group: DeviceGroup,
): Promise<DirectoryEntry> =>
  requireAccess(request, group, await directory.findUrgently(request.params.device_id, deadlineOf(request)));
