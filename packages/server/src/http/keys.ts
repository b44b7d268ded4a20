import { keyRecord } from '@granary/app/devices/records';
import { Refusal } from '@granary/contract/errors';
import { checkKeyRotation, checkNewKey } from '@granary/contract/keys';
import { SECOND_MS } from '@granary/contract/time';
import { isUnlimited } from '@granary/core/keys';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { draftKey, draftSecret, issuedKey } from '../keys/keyring.ts';
import { newKey } from '../keys/secrets.ts';
import { accept, paged, readPage, success } from './protocol/answers.ts';
import type { RouteDependencies } from './route-dependencies.ts';

interface KeyPath {
  Params: { key_id: string };
}

const ROTATION_OVERLAP_S = 3_600;

export function keyRoutes(routes: FastifyInstance, parts: RouteDependencies): void {
  const { app, idempotency, now } = parts;

  routes.addHook('preHandler', async (request) => refuseLimited(request));

  routes.get('/keys', { config: { scope: 'admin' } }, async (request) => {
    const page = readPage(request.query);
    const rows = await app.keys.list({ afterKeyId: page.after, limit: page.limit + 1 });
    return paged(rows, page, (key) => key.keyId, keyRecord);
  });

  routes.post('/keys', { config: { scope: 'admin' } }, async (request, reply) => {
    const wanted = accept(checkNewKey, request.body, 'key');
    const { key, stored } = draftKey(wanted, now());
    const { result, secret } = await idempotency.onceWithSecret(request, reply, key, (slices) =>
      slices.keys.create(stored),
    );
    return success(issuedKey(result, secret));
  });

  routes.delete<KeyPath>('/keys/:key_id', { config: { scope: 'admin' } }, async (request) => {
    const revoked = await app.keys.revoke(request.params.key_id, now());
    return success(keyRecord(revoked));
  });

  routes.post<KeyPath>('/keys/:key_id/rotate', { config: { scope: 'admin' } }, async (request, reply) => {
    const { overlap_seconds: overlapS = ROTATION_OVERLAP_S } = accept(
      checkKeyRotation,
      request.body ?? {},
      'rotation',
    );
    const nowMs = now();
    const key = newKey();
    const successor = draftSecret(key, nowMs);
    const oldExpiresAtMs = nowMs + overlapS * SECOND_MS;
    const { result, secret } = await idempotency.onceWithSecret(request, reply, key, (slices) =>
      slices.keys.rotate(request.params.key_id, successor, oldExpiresAtMs),
    );
    return success(issuedKey(result, secret));
  });
}

/** A key bound to some sites could otherwise make itself one that is not. */
function refuseLimited(request: FastifyRequest): void {
  if (isUnlimited(request.caller)) return;
  throw new Refusal('forbidden', 'a key that is limited to sites or devices cannot manage keys');
}
