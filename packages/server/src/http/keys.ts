import { endpoints } from '@granary/contract/endpoints/endpoints';
import { SECOND_MS } from '@granary/contract/time';
import { keyRecord } from '@granary/core/keys';
import type { FastifyInstance } from 'fastify';
import { draftKey, draftSecret, issuedKey } from '../process/keys/keyring.ts';
import { newKey } from '../process/keys/secrets.ts';
import { refuseLimited } from './access/credentials.ts';
import { creating } from './audit/attempt.ts';
import { pageOf, readPage, success } from './protocol/answers.ts';
import { register } from './register.ts';
import type { Parts } from './route-dependencies.ts';

const ROTATION_OVERLAP_S = 3_600;

export function keyRoutes(
  routes: FastifyInstance,
  parts: Parts<'reads' | 'changes' | 'idempotency' | 'now'>,
): void {
  const { reads, changes, idempotency, now } = parts;

  routes.addHook('preHandler', async (request) => refuseLimited(request, 'manage keys'));

  register(routes, endpoints.keys.list, async ({ request, read }) => {
    const page = pageOf(read.query(request));
    const keysAfter = (afterKeyId: string | null, limit: number) =>
      reads(request).keys.list({ afterKeyId, limit });
    return await readPage(request, page, keysAfter, (key) => key.keyId, keyRecord);
  });

  register(routes, endpoints.keys.create, async (exchange) => {
    const { request, read } = exchange;
    const wanted = read.body(request);
    const { key, stored } = draftKey(wanted, now());
    const { result, secret } = await idempotency.onceWithSecret(
      creating(exchange, stored.keyId),
      key,
      (slices) => slices.keys.create(stored),
    );
    return success(issuedKey(result, secret));
  });

  register(routes, endpoints.keys.revoke, async (exchange) => {
    const { request } = exchange;
    const revoked = await changes(exchange).keys.revoke(request.params.key_id, now());
    return success(keyRecord(revoked));
  });

  register(routes, endpoints.keys.assign, async (exchange) => {
    const { request, read } = exchange;
    const { person_id: personId } = read.body(request);
    const { result } = await idempotency.once(exchange, (slices) =>
      slices.keys.assign(request.params.key_id, personId, now()),
    );
    return success(keyRecord(result));
  });

  register(routes, endpoints.keys.rotate, async (exchange) => {
    const { request, read } = exchange;
    const { overlap_seconds: overlapS = ROTATION_OVERLAP_S } = read.body(request);
    const nowMs = now();
    const key = newKey();
    const successor = draftSecret(key, nowMs);
    const oldExpiresAtMs = nowMs + overlapS * SECOND_MS;
    const { result, secret } = await idempotency.onceWithSecret(exchange, key, (slices) =>
      slices.keys.rotate(request.params.key_id, successor, oldExpiresAtMs),
    );
    return success(issuedKey(result, secret));
  });
}
