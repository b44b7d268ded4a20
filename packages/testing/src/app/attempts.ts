import type { App } from '@granary/app/app';
import type { Attempt } from '@granary/app/audit/audit-rows';
import { newId } from '@granary/app/ids';
import type { WriteSlices } from '@granary/app/use-cases';
import type { Scope } from '@granary/contract/keys';
import type { Grant } from '@granary/core/keys';
import { NOW_MS } from './fixtures.ts';

export const ADA = { key_id: 'key_1', key_name: 'operators', actor: 'Ada' };

/** An attempt of a caller of the HTTP interface. */
export const testAttempt = (fields: Partial<Attempt> = {}): Attempt => ({
  attemptId: newId('au', NOW_MS),
  atMs: NOW_MS,
  requestId: 'req_1',
  actor: ADA,
  address: '127.0.0.1',
  action: 'operations.feed',
  method: 'POST',
  path: '/v1/siloscale/devices/silo-7/operations/feed',
  deviceId: null,
  facility: null,
  resourceId: null,
  input: null,
  ...fields,
});

/** The writes of a caller whose key has these rights, for a request that needs the scope. */
export async function writesWith(
  app: App,
  grants: readonly Grant[],
  scope: Scope | null,
): Promise<WriteSlices> {
  const keyId = newId('key', NOW_MS);
  const rights = { kind: 'service' as const, grants, expiresAtMs: null };
  await app.keys.create({ keyId, hash: keyId, name: keyId, createdAtMs: NOW_MS, ...rights });
  return app.audited(testAttempt({ caller: { keyId, sessionHash: null, scope, atMs: NOW_MS } }));
}
