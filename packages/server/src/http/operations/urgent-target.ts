import type { IdempotentSlices } from '@granary/app/app';
import type { IdempotentResult } from '@granary/app/idempotency';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import { Refusal } from '@granary/contract/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DirectoryEntry } from '../../devices/device-directory.ts';
import { deadlineOf } from '../../urgent/urgent-deadline.ts';
import { type DevicePath, requireAccess } from '../devices/find-device.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** The device of an urgent request, which must not wait for the storage. */
export const urgentTarget = async (
  request: FastifyRequest<DevicePath>,
  { directory }: RouteDependencies,
  group: DeviceGroup,
): Promise<DirectoryEntry> =>
  requireAccess(request, group, await directory.findUrgently(request.params.device_id, deadlineOf(request)));

/** An Idempotency-Key that was used for another request must not prevent a stop. */
export async function storeUrgently<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  { idempotency, app }: RouteDependencies,
  write: (slices: IdempotentSlices) => Promise<IdempotentResult<Result>>,
): Promise<Result> {
  try {
    return (await idempotency.once(request, reply, write, app.urgent)).result;
  } catch (error) {
    if (!isAboutKey(error)) throw error;
    return (await write(app.urgent.once(null))).result;
  }
}

const isAboutKey = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['idempotency_key_reused', 'idempotency_in_progress', 'invalid_input'].includes(error.code);
