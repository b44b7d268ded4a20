import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openApp } from '@granary/app/app';
import { testAttempt } from '@granary/app/testing/attempts';
import { newDevice } from '@granary/app/testing/fixtures';
import { DEFAULT_ADDRESSES } from '@granary/contract/endpoints/declaration/groups';
import { assertAudited, type SentRequest } from './audit-check.ts';

const POST = { method: 'POST', path: '/v1/siloscale/devices', isReplayed: false };
const DONE: SentRequest = { ...POST, status: 200, requestId: 'r1', code: null };
const REFUSED: SentRequest = { ...POST, status: 409, requestId: 'r2', code: 'device_exists' };

test('a change without an entry, one with two, and a refusal that is not counted are found', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const location = { engine: 'sqlite', folder } as const;
  const compare = (...sent: SentRequest[]) => assertAudited(sent, location, DEFAULT_ADDRESSES);
  const change = async (requestId: string) => {
    const app = await openApp(location);
    const attempt = testAttempt({ requestId, action: 'devices.register' });
    await app.audited(attempt).devices.register(newDevice());
    await app.audit.refused([
      { attempt: testAttempt({ action: 'devices.register' }), code: 'device_exists', count: 1 },
    ]);
    await app.close();
  };
  await change('other');
  await compare(REFUSED, { ...DONE, method: 'GET' }, { ...DONE, isReplayed: true });
  await assert.rejects(compare(DONE), /entries in the audit log for POST/);
  await assert.rejects(compare(REFUSED, REFUSED), /has 1 of 2 refusals of devices.register device_exists/);
  await change('r1');
  await compare(DONE, REFUSED, REFUSED);
  await change('r1');
  await assert.rejects(compare(DONE), /entries in the audit log for POST/);
});
