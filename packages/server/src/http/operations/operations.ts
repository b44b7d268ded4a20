import { newId } from '@granary/app/ids';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { OPERATION_TYPES } from '@granary/contract/operations';
import { statusOf } from '@granary/contract/sentences/english';
import { operationRecord, startedRecord } from '@granary/core/operations/record';
import type { OperationState } from '@granary/core/operations/state';
import { notSentRefusal } from '@granary/core/operations/status-detail';
import { operationTrace } from '@granary/core/operations/trace';
import { longestShiftMs } from '@granary/core/shifts';
import type { FastifyInstance } from 'fastify';
import { deadlineOf } from '../../devices/sending/urgent-deadline.ts';
import { attemptToWrite, creating } from '../audit/attempt.ts';
import { requireConfirmed } from '../confirmations.ts';
import { findDevice, urgentTarget } from '../devices/find-device.ts';
import { pageOf, readPage, success } from '../protocol/answers.ts';
import { register } from '../register.ts';
import type { Parts } from '../route-dependencies.ts';

export function operationRoutes(
  routes: FastifyInstance,
  parts: Parts<'settings' | 'reads' | 'link' | 'directory' | 'idempotency' | 'stops' | 'now'>,
): void {
  const { reads, link, settings, idempotency, now } = parts;

  for (const type of OPERATION_TYPES) {
    register(routes, endpoints.operations[type], async (exchange) => {
      const { request, read } = exchange;
      const device = await findDevice(request, parts, 'silo');
      const { deviceNo, deviceId } = device;
      const wanted = read.body(request);
      const confirmed = await requireConfirmed(exchange, device, parts);
      const nowMs = now();
      const operationId = newId('op', nowMs);
      const isReachable = link.isReachable(deviceId);
      const { result, isAllSent } = await idempotency.once(creating(confirmed, operationId), (slices) =>
        slices.operations.start({ deviceNo, operationId, type, request: wanted, isReachable, nowMs }),
      );
      // An operation whose start was not sent has already failed, which is the answer to the caller and to every repetition.
      const failed = isAllSent
        ? undefined
        : await reads(request).operations.find(deviceNo, result.operation.operationId);
      const refusal = failed && notSentRefusal(failed);
      if (refusal) throw refusal;
      return success(startedRecord(result.operation));
    });
  }

  register(routes, endpoints.operations.list, async ({ request, read }) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const { status = null, type = null, ...asked } = read.query(request);
    const page = pageOf(asked);
    const operationsBefore = (beforeOperationId: string | null, limit: number) =>
      reads(request).operations.list({ deviceNo, status, type, beforeOperationId, limit });
    return await readPage(request, page, operationsBefore, ({ operationId }) => operationId, operationRecord);
  });

  register(routes, endpoints.operations.get, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    return success(
      operationRecord(
        foundOperation(await reads(request).operations.find(deviceNo, request.params.operation_id)),
      ),
    );
  });

  register(routes, endpoints.operations.plan, async ({ request, read }) => {
    const { deviceNo, deviceId } = await findDevice(request, parts, 'silo');
    const isReachable = link.isReachable(deviceId);
    const shiftMs = longestShiftMs(settings.shiftStartsMs);
    const wanted = { deviceNo, request: read.body(request), isReachable, shiftMs, nowMs: now() };
    return success(await reads(request).operations.plan(wanted));
  });

  register(routes, endpoints.operations.trace, async ({ request }) => {
    const { deviceNo } = await findDevice(request, parts, 'silo');
    const found = await reads(request).operations.find(deviceNo, request.params.operation_id);
    return success(operationTrace(foundOperation(found)));
  });

  register(routes, endpoints.operations.declareEnded, async (exchange) => {
    const { request, read } = exchange;
    const device = await findDevice(request, parts, 'silo');
    const { deviceNo } = device;
    const declaration = read.body(request);
    const confirmed = await requireConfirmed(exchange, device, parts);
    const { operation_id: operationId } = request.params;
    const wanted = { deviceNo, operationId, declaration, nowMs: now() };
    const { result } = await idempotency.once(confirmed, (slices) => slices.operations.declareEnded(wanted));
    return success(operationRecord(foundOperation(result)));
  });

  stopRoute(routes, parts);
}

/** A stop is refused only without the scope and for an unknown operation. */
function stopRoute(
  routes: FastifyInstance,
  parts: Parts<'directory' | 'idempotency' | 'stops' | 'now'>,
): void {
  const { stops, idempotency, now } = parts;
  routes.register((routes, _options, registered) => {
    // The body of a stop is ignored, whether it is valid or not.
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    register(routes, endpoints.operations.stop, async (exchange) => {
      const { request } = exchange;
      const { operation_id: operationId } = request.params;
      const { deviceId, deviceNo } = await urgentTarget(request, parts, 'silo');
      const target = { deviceId, deviceNo, operationId, attempt: attemptToWrite(exchange) };
      const { state, unstoredDetail } = await stops.stopOperation(target, deadlineOf(request), async () => {
        const stop = { deviceNo, operationId, nowMs: now() };
        return await idempotency.onceUrgently(exchange, (slices) => slices.operations.stop(stop));
      });
      const record = operationRecord(foundOperation(state));
      return success(unstoredDetail === null ? record : { ...record, ...statusOf(unstoredDetail) });
    });
    registered();
  });
}

function foundOperation(operation: OperationState | undefined): OperationState {
  if (operation !== undefined) return operation;
  throw new Refusal('operation_not_found', 'the device has no operation with this id');
}
