import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StartCommand } from '@granary/contract/link/messages';
import { toIso } from '@granary/contract/time';
import {
  type Controller,
  FINISHED_MAX,
  IDLE,
  progressOf,
  restoreController,
  storedOperations,
} from './controller.ts';
import { begin, type Environment, halt, proceed } from './operations.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 20);
const HALF_FULL: Environment = { contentKg: 500, capacityKg: 1_000, isJammed: false };

const startOf = (changes: Partial<StartCommand> = {}): StartCommand => ({
  command: 'start',
  operation_id: 'op_1',
  type: 'feed',
  amount_kg: 50,
  rate_kg_per_min: 600,
  max_amount_kg: 51,
  max_duration_s: 60,
  expires_at: toIso(NOW_MS + 30_000),
  ...changes,
});

const running = (changes?: Partial<StartCommand>) => begin(IDLE, startOf(changes), NOW_MS).controller;
const after = (controller: Controller, elapsedMs: number, environment = HALF_FULL) =>
  proceed(controller, environment, elapsedMs, NOW_MS);
const reported = (controller: Controller, operationId = 'op_1') => {
  const { state, amount_kg, reason } = progressOf(controller, operationId, NOW_MS);
  return [state, amount_kg, reason];
};

test('a feed and a discharge run to their end', () => {
  for (const [type, sign] of [
    ['feed', 1],
    ['discharge', -1],
  ] as const) {
    const half = after(running({ type }), 3_500);
    assert.equal(half.movedKg, sign * 25);
    assert.deepEqual(reported(half.controller), ['running', 25, undefined]);
    const whole = after(half.controller, 3_500);
    assert.equal(whole.movedKg, sign * 25);
    assert.equal(whole.controller.running, null);
    assert.deepEqual(reported(whole.controller), ['completed', 50, undefined]);
    assert.equal(after(whole.controller, 10_000).movedKg, 0);
  }
});

const ENDS: readonly (readonly [string, Partial<StartCommand>, Partial<Environment>, unknown[]])[] = [
  ['full', {}, { contentKg: 980 }, ['failed', 20, 'full']],
  ['full from the start', {}, { contentKg: 1_000 }, ['failed', 0, 'full']],
  ['just room enough', {}, { contentKg: 950 }, ['completed', 50, undefined]],
  ['empty', { type: 'discharge' }, { contentKg: 20 }, ['failed', 20, 'empty']],
  ['the last of it', { type: 'discharge' }, { contentKg: 50 }, ['completed', 50, undefined]],
  ['too much asked', { max_amount_kg: 40 }, {}, ['failed', 40, 'the largest amount allowed is reached']],
  ['too slow', { max_duration_s: 3 }, {}, ['failed', 20, 'the longest time allowed is over']],
  ['jammed', {}, { isJammed: true }, ['failed', 25, 'the longest time allowed is over']],
];

for (const [name, changes, environment, expected] of ENDS) {
  test(`ends by itself: ${name}`, () => {
    const { controller } = after(running(changes), 100_000, { ...HALF_FULL, ...environment });
    assert.deepEqual(reported(controller), expected);
    assert.equal(controller.running, null);
  });
}

test('a jam stands still while it claims to run, and goes on from there once it is gone', () => {
  const jammed = after(running(), 20_000, { ...HALF_FULL, isJammed: true });
  assert.deepEqual(reported(jammed.controller), ['running', 25, undefined]);
  assert.equal(after(jammed.controller, 1_000, { ...HALF_FULL, isJammed: true }).movedKg, 0);
  assert.deepEqual(reported(after(jammed.controller, 3_500).controller), ['completed', 50, undefined]);
});

test('a repeated start is acknowledged again and not carried out again', () => {
  const once = after(running(), 3_500).controller;
  const twice = begin(once, startOf(), NOW_MS);
  assert.deepEqual(twice, { controller: once, ack: { operation_id: 'op_1', accepted: true } });
  const ended = after(once, 3_500).controller;
  const thrice = begin(ended, startOf(), NOW_MS);
  assert.deepEqual(thrice, { controller: ended, ack: { operation_id: 'op_1', accepted: true } });
});

test('a start that comes too late is refused', () => {
  const { controller, ack } = begin(IDLE, startOf(), NOW_MS + 30_001);
  assert.deepEqual(ack, { operation_id: 'op_1', accepted: false, reason: 'it came too late' });
  assert.equal(controller.running, null);
  assert.equal(begin(IDLE, startOf(), NOW_MS + 30_000).ack.accepted, true);
});

test('a second operation is refused while one runs, and for good', () => {
  const second = startOf({ operation_id: 'op_2' });
  const { controller, ack } = begin(running(), second, NOW_MS);
  const refusal = { operation_id: 'op_2', accepted: false, reason: 'op_1 is running' };
  assert.deepEqual(ack, refusal);
  assert.deepEqual(reported(controller), ['running', 0, undefined]);
  const later = after(controller, 7_000).controller;
  assert.deepEqual(begin(later, second, NOW_MS), { controller: later, ack: refusal });
  assert.deepEqual(reported(later, 'op_2'), ['unknown', 0, 'op_1 is running']);
});

test('a stop ends what runs, at once; what has ended stays as it is', () => {
  const stopped = halt(after(running(), 3_500).controller, 'op_1', NOW_MS);
  assert.deepEqual(reported(stopped), ['stopped', 25, undefined]);
  assert.equal(after(stopped, 10_000).movedKg, 0);
  assert.equal(halt(stopped, 'op_1', NOW_MS), stopped);
  const completed = after(running(), 7_000).controller;
  assert.equal(halt(completed, 'op_1', NOW_MS), completed);
});

test('a stop for another operation leaves the one that runs alone', () => {
  const controller = halt(after(running(), 3_500).controller, 'op_2', NOW_MS);
  assert.deepEqual(reported(controller), ['running', 25, undefined]);
  assert.equal(reported(controller, 'op_2')[0], 'unknown');
});

test('a stop that overtakes its start still wins', () => {
  const { controller, ack } = begin(halt(IDLE, 'op_1', NOW_MS), startOf(), NOW_MS);
  assert.deepEqual(ack, { operation_id: 'op_1', accepted: false, reason: 'it was stopped before it came' });
  assert.equal(controller.running, null);
});

test('an operation it never heard of is unknown', () => {
  assert.deepEqual(progressOf(IDLE, 'op_9', NOW_MS), {
    operation_id: 'op_9',
    state: 'unknown',
    amount_kg: 0,
    ts: NOW_MS,
  });
});

test('a clock that was set back moves nothing', () => {
  const half = after(running(), 3_500).controller;
  assert.deepEqual(after(half, -60_000), { controller: half, movedKg: 0 });
});

test('after a restart nothing runs, and no earlier operation runs again', () => {
  const completed = after(running(), 7_000).controller;
  const second = begin(completed, startOf({ operation_id: 'op_2' }), NOW_MS).controller;
  const restarted = restoreController(storedOperations(after(second, 3_500).controller, NOW_MS));
  assert.equal(restarted.running, null);
  assert.deepEqual(reported(restarted), ['completed', 50, undefined]);
  assert.deepEqual(reported(restarted, 'op_2'), ['failed', 25, 'power lost']);
  for (const operation_id of ['op_1', 'op_2']) {
    const again = begin(restarted, startOf({ operation_id }), NOW_MS);
    assert.deepEqual(again, { controller: restarted, ack: { operation_id, accepted: true } });
  }
});

test('remembers the newest operations only', () => {
  let controller = IDLE;
  for (let i = 0; i <= FINISHED_MAX; i++) {
    controller = begin(controller, startOf({ operation_id: `op_${i}` }), NOW_MS).controller;
    controller = after(controller, 7_000).controller;
  }
  assert.equal(controller.finished.length, FINISHED_MAX);
  assert.equal(reported(controller, 'op_0')[0], 'unknown');
  assert.equal(reported(controller, `op_${FINISHED_MAX}`)[0], 'completed');
});
