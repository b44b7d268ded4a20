import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Caller } from '../keys/keyring.ts';
import { type ExportPages, ExportRunner, UNREAD_MS_MAX } from './export-runner.ts';

const CALLER: Caller = {
  ...{ keyId: 'key_1', name: 'k', scopes: ['read'], facilities: null, deviceIds: null, session: null },
  ...{ createdAtMs: 0, expiresAtMs: null, lastUsedAtMs: null, revokedAtMs: null },
};

async function* endless(): ExportPages {
  for (;;) yield 'x'.repeat(100_000);
}

test('an export of which nothing is read any more ends and gives its place to others', async (t) => {
  const runner = new ExportRunner({ cached: () => CALLER, identify: async () => CALLER });
  const stream = await runner.open('key', async () => endless());
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const readable = once(stream, 'readable');
  stream.read(1);
  await readable;
  t.mock.timers.tick(UNREAD_MS_MAX - 1);
  assert.deepEqual([runner.count, stream.destroyed], [1, false]);
  const closed = once(stream, 'error');
  t.mock.timers.tick(1);
  assert.equal(stream.destroyed, true);
  assert.match(String((await closed)[0]), /stopped reading/);
  assert.equal(runner.count, 0);
});
