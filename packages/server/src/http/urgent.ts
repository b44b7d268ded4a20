import type { DeviceKind } from '@granary/contract/channels';
import { Refusal } from '@granary/contract/errors';
import type { Guarded } from '@granary/store/idempotency';
import type { GuardedSlices } from '@granary/store/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DirectoryEntry } from '../device-directory.ts';
import { deadlineOf } from '../urgent-deadline.ts';
import { type DevicePath, knownTo } from './known-device.ts';
import type { RouteParts } from './parts.ts';

/** The device of a request that must not wait until the storage can tell of it. */
export const urgentTarget = async (
  request: FastifyRequest<DevicePath>,
  { directory }: RouteParts,
  kind: DeviceKind,
): Promise<DirectoryEntry> =>
  knownTo(request, kind, await directory.findUrgently(request.params.device_id, deadlineOf(request)));

/** An Idempotency-Key that was used for something else refuses any other request, but not this one. */
export async function storeUrgently<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  { idempotency, store }: RouteParts,
  write: (slices: GuardedSlices) => Promise<Guarded<Result>>,
): Promise<Result> {
  try {
    return (await idempotency.once(request, reply, write, store.urgent)).result;
  } catch (error) {
    if (!isAboutKey(error)) throw error;
    return (await write(store.urgent.guarded(null))).result;
  }
}

const isAboutKey = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['idempotency_key_reused', 'idempotency_in_progress', 'invalid_input'].includes(error.code);
