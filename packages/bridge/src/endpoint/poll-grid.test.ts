import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  afterFailure,
  type Breaker,
  CLOSED,
  phaseOf,
  probeTimeoutMs,
  reconnectWaitMs,
  slotAt,
  slotFrom,
} from './poll-grid.ts';

test('slots stay on the grid, however late a poll starts, and each missed one is counted', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 60_000 }),
      fc.integer({ min: 0, max: 59_999 }),
      fc.array(fc.double({ min: 0, max: 200_000, noNaN: true }), { maxLength: 20 }),
      (periodMs, phase, delays) => {
        const phaseMs = phase % periodMs;
        let dueMs = slotFrom(1_000_000, periodMs, phaseMs);
        assert.ok(dueMs >= 1_000_000 && dueMs < 1_000_000 + periodMs);
        for (const delayMs of delays) {
          const nowMs = dueMs + delayMs;
          const { atMs, skipped, nextMs } = slotAt(dueMs, periodMs, nowMs);
          assert.ok(atMs <= nowMs && nowMs - atMs < periodMs + 1e-6);
          assert.ok(Math.abs((atMs - dueMs) / periodMs - skipped) < 1e-9);
          assert.equal(nextMs, atMs + periodMs);
          assert.equal((nextMs - phaseMs) % periodMs, 0);
          dueMs = nextMs;
        }
      },
    ),
  );
});

test('the phases of similar names are spread over the period', () => {
  const phases = Array.from({ length: 500 }, (_, index) => phaseOf(`silo-${index}`, 1_000));
  const perTenth = Array.from(
    { length: 10 },
    (_, tenth) => phases.filter((phase) => Math.floor(phase / 100) === tenth).length,
  );
  assert.ok(Math.min(...perTenth) > 25 && Math.max(...perTenth) < 80, perTenth.join(' '));
  assert.equal(phaseOf('silo-1', 1_000), phaseOf('silo-1', 1_000));
});

function waits(times: number, hasAnswered: boolean, random: number): number[] {
  let breaker: Breaker = CLOSED;
  let nowMs = 0;
  return Array.from({ length: times }, () => {
    breaker = afterFailure(breaker, nowMs, random, hasAnswered);
    const waitMs = breaker.nextTryMs === null ? 0 : breaker.nextTryMs - nowMs;
    nowMs += waitMs;
    return waitMs;
  });
}

test('the breaker opens after two timeouts and doubles up to a minute', () => {
  assert.deepEqual(waits(9, false, 0), [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  assert.deepEqual(waits(3, false, 1), [0, 900, 1_800]);
});

test('a unit that answered before is looked for every four seconds in the first minute', () => {
  const list = waits(25, true, 0);
  assert.deepEqual(list.slice(0, 5), [0, 1_000, 2_000, 4_000, 4_000]);
  assert.equal(list.at(-1), 60_000);
  assert.equal(list.filter((ms) => ms === 4_000).length, 15);
});

test('a connection is tried again within two seconds, and probes are short', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 50].map((attempts) => reconnectWaitMs(attempts, 0)),
    [250, 500, 1_000, 2_000, 2_000],
  );
  assert.deepEqual(
    [
      probeTimeoutMs(1_000, null),
      probeTimeoutMs(1_000, 3),
      probeTimeoutMs(1_000, 80),
      probeTimeoutMs(1_000, 900),
    ],
    [1_000, 100, 400, 1_000],
  );
});
