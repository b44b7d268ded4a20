import type { DeviceGroup } from '@granary/contract/devices/groups';
import type { FastifyRequest } from 'fastify';
import type { DirectoryEntry } from '../../devices/device-directory.ts';
import { deadlineOf } from '../../devices/urgent/urgent-deadline.ts';
import { type DevicePath, requireAccess } from '../devices/find-device.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** The device of an urgent request, which must not wait for the storage. */
export const urgentTarget = async (
  request: FastifyRequest<DevicePath>,
  { directory }: RouteDependencies,
  group: DeviceGroup,
): Promise<DirectoryEntry> =>
  requireAccess(request, group, await directory.findUrgently(request.params.device_id, deadlineOf(request)));
