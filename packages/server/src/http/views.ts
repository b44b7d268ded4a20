import { newId } from '@granary/app/ids';
import type { StoredView } from '@granary/app/views';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import { Refusal } from '@granary/contract/errors';
import { toIso } from '@granary/contract/time';
import type { View } from '@granary/contract/views';
import { hasScope, isUnlimited, limitsWith } from '@granary/core/keys';
import { quoted } from '@granary/core/words';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { creates } from './audit/attempt.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { RouteDependencies } from './route-dependencies.ts';

export function viewRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, changes, idempotency, now } = parts;
  const declared = endpoints.views;

  /** A shared view that the caller may not change is refused; one of another key is not found. */
  async function requireOwn({ caller, params }: FastifyRequest): Promise<string> {
    const { view_id: viewId } = params as { readonly view_id: string };
    const view = await app.views.find(viewId);
    if (view?.keyId === caller.keyId) return viewId;
    if (view?.isShared !== true) throw notFound(viewId);
    if (isUnlimited(limitsWith(caller, 'admin'))) return viewId;
    throw new Refusal('forbidden', 'only the key that made a view, or an admin, may change it');
  }

  register(routes, declared.list, async (request, _reply, read) => {
    const page = pageOf(read.query(request));
    const { keyId } = request.caller;
    const viewsAfter = (afterViewId: string | null, limit: number) =>
      app.views.list({ keyId, afterViewId, limit });
    return await readPage(request, page, viewsAfter, ({ viewId }) => viewId, shownTo(request));
  });

  register(routes, declared.create, async (request, reply, read) => {
    const { name, address, shared: isShared = false } = read.body(request);
    if (isShared) requireSharing(request);
    const nowMs = now();
    const viewId = newId('vw', nowMs);
    creates(request, viewId);
    const { keyId } = request.caller;
    const { result } = await idempotency.once(request, reply, (slices) =>
      slices.views.create({ viewId, keyId, name, address, isShared, updatedAtMs: nowMs }),
    );
    return success(shownTo(request)(result));
  });

  register(routes, declared.change, async (request, _reply, read) => {
    const viewId = await requireOwn(request);
    const patch = read.body(request);
    if (patch.shared === true) requireSharing(request);
    const changed = await changes(request).views.change(viewId, patch, now());
    if (changed === undefined) throw notFound(viewId);
    return success(shownTo(request)(changed));
  });

  register(routes, declared.remove, async (request) => {
    const viewId = await requireOwn(request);
    const removed = await changes(request).views.remove(viewId);
    if (removed === undefined) throw notFound(viewId);
    return success(shownTo(request)(removed));
  });

  register(routes, declared.preferences, async ({ caller }) =>
    success(await app.views.preferences(caller.keyId)),
  );

  register(routes, declared.changePreferences, async (request, _reply, read) => {
    const { keyId } = request.caller;
    return success(await changes(request).views.changePreferences(keyId, read.body(request), now()));
  });
}

const notFound = (viewId: string): Refusal =>
  new Refusal('view_not_found', `there is no view ${quoted(viewId)}, or it is that of another key`);

/** Everybody sees a shared view, so a key that may only read does not share. */
function requireSharing({ caller }: FastifyRequest): void {
  if (hasScope(caller, 'operate') || hasScope(caller, 'admin')) return;
  throw new Refusal('forbidden', 'this key may keep views, but not share them: it needs the scope operate');
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
