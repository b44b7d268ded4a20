import { Refusal } from '@granary/contract/errors';
import { sees } from '@granary/core/keys';
import { operationRecord } from '@granary/core/operation-record';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStorageFault, type StopTarget } from '../stops.ts';
import { success } from './answers.ts';
import { knownDevice } from './known-device.ts';
import { foundOperation, type OperationPath } from './known-operation.ts';
import type { RouteParts } from './parts.ts';

/** Stopping is refused only to those who may not do it, and for an operation that there is not. */
export function stopRoute(app: FastifyInstance, parts: RouteParts): void {
  const { stops, evaluator, feed } = parts;
  app.register((routes, _options, registered) => {
    // Whatever is sent along, well-formed or not, has no say in it.
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    routes.post<OperationPath>(
      '/devices/:device_id/operations/:operation_id/stop',
      { config: { scope: 'operate', isUrgent: true } },
      async (request, reply) => {
        const target = await targetOf(request, parts);
        const operation = await stops.stop(target, () => store(request, reply, target, parts));
        if (target.deviceNo !== null) evaluator.wake([target.deviceNo]);
        feed.wake();
        return success(operationRecord(foundOperation(operation)));
      },
    );
    registered();
  });
}

async function targetOf(request: FastifyRequest<OperationPath>, { store }: RouteParts): Promise<StopTarget> {
  const { device_id: deviceId, operation_id: operationId } = request.params;
  try {
    const { deviceNo } = await knownDevice(request, store, 'silo');
    return { deviceId, deviceNo, operationId };
  } catch (error) {
    // Where the device stands cannot be looked up now, so the key must not depend on it.
    if (!isStorageFault(error) || !sees(request.caller, { deviceId, facility: '' })) throw error;
    return { deviceId, deviceNo: null, operationId };
  }
}

/** A key that was used for something else refuses any other request, but not this one. */
async function store(
  request: FastifyRequest,
  reply: FastifyReply,
  { deviceNo, operationId }: StopTarget,
  { store, idempotency, now }: RouteParts,
) {
  if (deviceNo === null) throw new Refusal('storage_unavailable', 'the device cannot be looked up');
  const stop = { deviceNo, operationId, nowMs: now() };
  try {
    return (await idempotency.once(request, reply, (slices) => slices.operations.stop(stop))).result;
  } catch (error) {
    if (!isAboutKey(error)) throw error;
    return await store.operations.stop(stop);
  }
}

const isAboutKey = (error: unknown): boolean =>
  error instanceof Refusal &&
  ['idempotency_key_reused', 'idempotency_in_progress', 'invalid_input'].includes(error.code);
