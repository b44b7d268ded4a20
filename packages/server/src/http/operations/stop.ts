import { endpoints } from '@granary/contract/endpoints/endpoints';
import { operationRecord } from '@granary/core/operations/record';
import type { FastifyInstance } from 'fastify';
import { deadlineOf } from '../../urgent/urgent-deadline.ts';
import { attemptOf } from '../audit/attempt.ts';
import { success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { foundOperation } from './find-operation.ts';
import { urgentTarget } from './urgent-target.ts';

/** A stop is refused only without the scope and for an unknown operation. */
export function stopRoute(routes: FastifyInstance, parts: RouteDependencies): void {
  const { stops, idempotency, now } = parts;
  routes.register((routes, _options, registered) => {
    // The body of a stop is ignored, whether it is valid or not.
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    register(routes, endpoints.operations.stop, async (request, reply) => {
      const { operation_id: operationId } = request.params;
      const { deviceId, deviceNo } = await urgentTarget(request, parts, 'silo');
      const target = { deviceId, deviceNo, operationId, attempt: attemptOf(request) };
      const { state, unstoredDetail } = await stops.stop(target, deadlineOf(request), async () => {
        const stop = { deviceNo, operationId, nowMs: now() };
        return await idempotency.onceUrgently(request, reply, (slices) => slices.operations.stop(stop));
      });
      const record = operationRecord(foundOperation(state));
      return success(unstoredDetail === null ? record : { ...record, status_detail: unstoredDetail });
    });
    registered();
  });
}
