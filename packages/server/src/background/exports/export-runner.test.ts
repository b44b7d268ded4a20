import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { grantOf } from '@granary/core/keys';
import type { Caller } from '../../process/keys/callers.ts';
import {
  EXPORTS_MAX,
  EXPORTS_PER_KEY_MAX,
  type ExportPages,
  ExportRunner,
  STALLED_MS,
  UNREAD_MS_MAX,
} from './export-runner.ts';

const CALLER: Caller = {
  keyId: 'key_1',
  kind: 'service',
  name: 'k',
  grants: [grantOf(['read'])],
  ownerId: null,
  personalKeyId: null,
  session: null,
  terminal: null,
  createdAtMs: 0,
  expiresAtMs: null,
  lastUsedAtMs: null,
  revokedAtMs: null,
};

const callerOf = (keyId: string) => ({ keyId, credential: keyId });

async function* endless(): ExportPages {
  for (;;) yield 'x'.repeat(100_000);
}

test('an export of which nothing is read any more ends and gives its place to others', async (t) => {
  const runner = new ExportRunner({ cached: () => CALLER, identify: async () => CALLER });
  const stream = await runner.open(callerOf('key_1'), async () => endless());
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

test('exports of one key that are opened at the same moment are as many as its limit allows', async () => {
  const runner = new ExportRunner({ cached: () => CALLER, identify: async () => CALLER });
  const opening = Array.from({ length: 4 }, () => runner.open(callerOf('key_1'), async () => endless()));
  const outcomes = await Promise.allSettled(opening);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  assert.equal(runner.count, EXPORTS_PER_KEY_MAX);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value.destroy();
});

test('an export that fails before its first page gives its place back', async () => {
  const runner = new ExportRunner({ cached: () => CALLER, identify: async () => CALLER });
  const failing = runner.open(callerOf('key_1'), () => Promise.reject(new Error('no storage')));
  assert.equal(runner.count, 1);
  await assert.rejects(failing, /no storage/);
  assert.equal(runner.count, 0);
});

test('a key that does not read its exports gives a place to another key, and not to a third export of its own', async () => {
  let nowMs = 0;
  const runner = new ExportRunner({ cached: () => CALLER, identify: async () => CALLER }, () => nowMs);
  const unread = await Promise.all(
    ['key_1', 'key_1', 'key_2', 'key_2'].map((key) => runner.open(callerOf(key), async () => endless())),
  );
  assert.equal(runner.count, EXPORTS_MAX);
  for (const stream of unread) {
    const readable = once(stream, 'readable');
    stream.on('error', () => undefined).read(1);
    await readable;
    nowMs++;
  }
  const open = (key: string) => runner.open(callerOf(key), async () => endless());
  nowMs = STALLED_MS - 1;
  await assert.rejects(open('key_3'), /4 exports are running/);
  nowMs = STALLED_MS;
  await assert.rejects(open('key_1'), /this key has 2 exports/);
  const given = await open('key_3');
  assert.deepEqual([unread[0]?.destroyed, unread[1]?.destroyed, given.destroyed], [true, false, false]);
  assert.equal(runner.count, EXPORTS_MAX);
  for (const stream of [...unread, given]) stream.destroy();
});
