import type { Attempt } from '@granary/app/audit/audit-rows';
import { newId } from '@granary/app/ids';
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
