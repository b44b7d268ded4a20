import { newId } from '@granary/app/ids';
import type { StoredView } from '@granary/app/views';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { toIso } from '@granary/contract/time';
import type { View } from '@granary/contract/views';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { creating } from './audit/attempt.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

export function viewRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { reads, changes, idempotency, now } = parts;
  const declared = endpoints.views;

  register(routes, declared.list, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const { keyId } = request.caller;
    const viewsAfter = (afterViewId: string | null, limit: number) =>
      reads(request).views.list({ keyId, afterViewId, limit });
    return await readPage(request, page, viewsAfter, ({ viewId }) => viewId, shownTo(request));
  });

  register(routes, declared.create, async (exchange) => {
    const { request, read } = exchange;
    const { name, address, shared: isShared = false } = read.body(request);
    const nowMs = now();
    const viewId = newId('vw', nowMs);
    const { keyId } = request.caller;
    const { result } = await idempotency.once(creating(exchange, viewId), (slices) =>
      slices.views.create({ viewId, keyId, name, address, isShared, updatedAtMs: nowMs }),
    );
    return success(shownTo(request)(result));
  });

  register(routes, declared.change, async (exchange) => {
    const { request, read } = exchange;
    const { view_id: viewId } = request.params;
    const patch = read.body(request);
    const changed = await changes(exchange).views.change(viewId, patch, now());
    return success(shownTo(request)(changed));
  });

  register(routes, declared.remove, async (exchange) => {
    const { request } = exchange;
    const { view_id: viewId } = request.params;
    const removed = await changes(exchange).views.remove(viewId);
    return success(shownTo(request)(removed));
  });

  register(routes, declared.preferences, async ({ request }) =>
    success(await reads(request).views.preferences(request.caller.keyId)),
  );

  register(routes, declared.changePreferences, async (exchange) => {
    const { request, read } = exchange;
    const { keyId } = request.caller;
    return success(await changes(exchange).views.changePreferences(keyId, read.body(request), now()));
  });
}

const shownTo =
  ({ caller }: FastifyRequest) =>
  ({ viewId, keyId, name, address, isShared, createdBy, updatedAtMs }: StoredView): View => ({
    view_id: viewId,
    name,
    address,
    shared: isShared,
    is_own: keyId === caller.keyId,
    created_by: createdBy,
    updated_at: toIso(updatedAtMs),
  });
