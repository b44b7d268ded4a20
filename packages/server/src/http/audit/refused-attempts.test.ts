import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefusedAttempts as Refusals } from '@granary/app/audit/audit';
import { MINUTE_MS } from '@granary/contract/time';
import { storageUnavailable } from '@granary/store/errors';
import { testAttempt } from '@granary/testing/app/attempts';
import { pino } from 'pino';
import { RefusedAttempts } from './refused-attempts.ts';

function rig() {
  const lines: string[] = [];
  const batches: (readonly Refusals[])[] = [];
  const state = { nowMs: 1_000_000, fault: null as Error | null };
  const refused = new RefusedAttempts({
    write: async (batch) => {
      if (state.fault !== null) throw state.fault;
      batches.push(batch);
    },
    logger: pino({}, { write: (line) => lines.push(line) }),
    now: () => state.nowMs,
  });
  const counts = () => batches.flat().map(({ attempt, count }) => [attempt.deviceId, count]);
  return { refused, lines, batches, state, counts };
}

const from = (deviceId: string, address = '10.0.0.1') => testAttempt({ deviceId, address });

test('identical refusals of a minute have one id, and what arrives together is written together', async () => {
  const { refused, batches, state } = rig();
  await Promise.all([from('a'), from('b'), from('a')].map((one) => refused.enter(one, 'device_offline')));
  await refused.enter(from('a'), 'device_offline');
  await refused.enter(from('a'), 'reading_stale');
  state.nowMs += MINUTE_MS;
  await refused.enter(from('a'), 'device_offline');
  assert.deepEqual(
    batches.map((batch) => batch.map(({ attempt, code, count }) => [attempt.deviceId, code, count])),
    [
      [
        ['a', 'device_offline', 2],
        ['b', 'device_offline', 1],
      ],
      [['a', 'device_offline', 1]],
      [['a', 'reading_stale', 1]],
      [['a', 'device_offline', 1]],
    ],
  );
  const ids = batches.flat().map(({ attempt }) => attempt.attemptId);
  assert.equal(ids[0], ids[2]);
  assert.equal(new Set(ids).size, 4);
});

test('a caller with ever new devices fills some entries and then raises one count', async () => {
  const { refused, counts } = rig();
  await Promise.all(
    Array.from({ length: 5_000 }, (_, n) => refused.enter(from(`d${n}`), 'device_not_found')),
  );
  await refused.drain();
  const total = counts().reduce((sum, [, count]) => sum + Number(count), 0);
  assert.equal(total, 5_000);
  assert.equal(counts().filter(([deviceId]) => deviceId !== null).length, 100);
  assert.equal(refused.dropped, 0);
});

test('a flood of many callers is bounded, and what is left out is counted and logged', async () => {
  const { refused, counts, lines } = rig();
  const calls = Array.from({ length: 3_000 }, (_, n) => {
    const attempt = { ...from('a', `10.0.${n >> 8}.${n & 255}`), actor: null };
    return refused.enter(attempt, 'unauthorized');
  });
  await Promise.all(calls);
  assert.equal(counts().length, 1_000);
  assert.equal(refused.dropped, 2_000);
  assert.match(lines.at(-1) ?? '', /"not_entered":1024/);
});

test('while the storage is not available nobody waits, and the entries are written afterwards', async () => {
  const { refused, counts, state } = rig();
  state.fault = storageUnavailable('away');
  await refused.enter(from('a'), 'device_offline');
  await refused.enter(from('b'), 'device_offline');
  assert.deepEqual(counts(), []);
  state.fault = null;
  await refused.drain();
  assert.deepEqual(counts(), [
    ['a', 1],
    ['b', 1],
  ]);
});
