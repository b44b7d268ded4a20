import type { DeviceKind } from '@granary/contract/channels';
import { Refusal } from '@granary/contract/errors';
import { sees } from '@granary/core/keys';
import type { Guarded } from '@granary/store/idempotency';
import type { GuardedSlices } from '@granary/store/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isStorageFault } from '../urgent-orders.ts';
import { type DevicePath, knownDevice } from './known-device.ts';
import type { RouteParts } from './parts.ts';

export interface UrgentTarget {
  readonly deviceId: string;
  /** `null` while the storage cannot even tell that. */
  readonly deviceNo: number | null;
}

/** The device of a request that must not wait until the storage can tell of it. */
export async function urgentTarget(
  request: FastifyRequest<DevicePath>,
  { store }: RouteParts,
  kind: DeviceKind,
): Promise<UrgentTarget> {
  const { device_id: deviceId } = request.params;
  try {
    const { deviceNo } = await knownDevice(request, store, kind);
    return { deviceId, deviceNo };
  } catch (error) {
    // Where the device stands cannot be looked up now, so the key must not depend on it.
    if (!isStorageFault(error) || !sees(request.caller, { deviceId, facility: '' })) throw error;
    return { deviceId, deviceNo: null };
  }
}

/** An Idempotency-Key that was used for something else refuses any other request, but not this one. */
export async function storeUrgently<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  { idempotency, store }: RouteParts,
  write: (slices: GuardedSlices) => Promise<Guarded<Result>>,
): Promise<Result> {
  try {
    return (await idempotency.once(request, reply, write)).result;
  } catch (error) {
    if (!isAboutKey(error)) throw error;
    return (await write(store.guarded(null))).result;
  }
}

/** For a device that cannot be looked up, nothing can be stored either. */
export function lookedUp({ deviceNo }: UrgentTarget): number {
  if (deviceNo !== null) return deviceNo;
  throw new Refusal('storage_unavailable', 'the device cannot be looked up');
}

const isAboutKey = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['idempotency_key_reused', 'idempotency_in_progress', 'invalid_input'].includes(error.code);
