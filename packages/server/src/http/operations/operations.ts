import { newId } from '@granary/app/ids';
import {
  checkDischargeRequest,
  checkFeedRequest,
  checkOperationQuery,
  OPERATION_TYPES,
  type OperationStarted,
} from '@granary/contract/operations';
import { estimatedDurationMin, operationRecord } from '@granary/core/operations/record';
import type { OperationState } from '@granary/core/operations/state';
import { notSentRefusal } from '@granary/core/operations/status-detail';
import type { FastifyInstance } from 'fastify';
import { type DevicePath, findDevice } from '../devices/find-device.ts';
import { accept, paged, pageOf, success } from '../protocol/answers.ts';
import type { RouteDependencies } from '../route-dependencies.ts';
import { foundOperation, type OperationPath } from './find-operation.ts';
import { stopRoute } from './stop.ts';

const READ_WANTED = {
  feed: (body: unknown) => ({ type: 'feed', request: accept(checkFeedRequest, body, 'feed') }) as const,
  discharge: (body: unknown) =>
    ({ type: 'discharge', request: accept(checkDischargeRequest, body, 'discharge') }) as const,
};

export function operationRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, link, idempotency, now } = parts;

  for (const type of OPERATION_TYPES) {
    routes.post<DevicePath>(
      `/devices/:device_id/operations/${type}`,
      { config: { scope: 'operate' } },
      async (request, reply) => {
        const { deviceNo, deviceId } = await findDevice(request, app, 'silo');
        const wanted = READ_WANTED[type](request.body);
        const nowMs = now();
        const operationId = newId('op', nowMs);
        const isReachable = link.isReachable(deviceId);
        const { result } = await idempotency.once(request, reply, (slices) =>
          slices.operations.start({ deviceNo, operationId, isReachable, nowMs, ...wanted }),
        );
        // An operation whose start was not sent has failed by now, and the caller is told so.
        const sent = await app.operations.find(deviceNo, result.operation.operationId);
        const refusal = sent && notSentRefusal(sent);
        if (refusal) throw refusal;
        return success(started(result.operation));
      },
    );
  }

  routes.get<DevicePath>('/devices/:device_id/operations', { config: { scope: 'read' } }, async (request) => {
    const { deviceNo } = await findDevice(request, app, 'silo');
    const { status = null, type = null, ...asked } = accept(checkOperationQuery, request.query, 'query');
    const page = pageOf(asked);
    const found = await app.operations.list({
      deviceNo,
      status,
      type,
      beforeOperationId: page.after,
      limit: page.limit + 1,
    });
    return paged(found, page, ({ operationId }) => operationId, operationRecord);
  });

  routes.get<OperationPath>(
    '/devices/:device_id/operations/:operation_id',
    { config: { scope: 'read' } },
    async (request) => {
      const { deviceNo } = await findDevice(request, app, 'silo');
      return success(
        operationRecord(foundOperation(await app.operations.find(deviceNo, request.params.operation_id))),
      );
    },
  );

  stopRoute(routes, parts);
}

function started({ operationId, status, plan }: OperationState): OperationStarted {
  if (plan === null) throw new Error(`operation ${operationId} was started without a plan`);
  return {
    operation_id: operationId,
    status,
    estimated_duration: estimatedDurationMin(plan),
    duration_unit: 'minutes',
  };
}
