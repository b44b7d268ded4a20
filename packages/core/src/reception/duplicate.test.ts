import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { NO_TAKEOVERS, noteTakeover, type Takeovers } from './duplicate.ts';

const START_MS = Date.UTC(2026, 5, 15, 12);

function taken(count: number, everyMs: number, before: Takeovers = NO_TAKEOVERS): Takeovers[] {
  const states: Takeovers[] = [];
  for (let n = 0; n < count; n++) {
    const addresses = n % 2 ? ['10.0.0.5', '10.0.0.9'] : ['10.0.0.9', '10.0.0.5'];
    states.push(noteTakeover(states.at(-1) ?? before, { atMs: START_MS + n * everyMs, addresses }));
  }
  return states;
}

test('five takeovers within a minute are two clients, four are not, nor are five in a longer time', () => {
  assert.equal(taken(4, SECOND_MS).at(-1)?.stored, null);
  assert.equal(taken(20, 15 * SECOND_MS).at(-1)?.stored, null);
  assert.deepEqual(taken(5, SECOND_MS).at(-1)?.stored, {
    sinceMs: START_MS,
    lastAtMs: START_MS + 4 * SECOND_MS,
    takeovers: 5,
    addresses: ['10.0.0.9', '10.0.0.5'],
  });
});

test('while they go on, little is written, however many there are', () => {
  const states = taken(6_000, 10);
  const written = new Set(states.map(({ stored }) => stored)).size - 1;
  assert.equal(written, 3);
  assert(states.every(({ recent }) => recent.length <= 100));
});

test('after a pause they begin anew', () => {
  const before = taken(10, SECOND_MS).at(-1);
  assert(before !== undefined);
  const later = {
    ...before,
    recent: before.recent.map((one) => ({ ...one, atMs: one.atMs - 10 * MINUTE_MS })),
  };
  const stored =
    before.stored === null ? null : { ...before.stored, lastAtMs: before.stored.lastAtMs - 10 * MINUTE_MS };
  const after = taken(5, SECOND_MS, { ...later, stored }).at(-1);
  assert.equal(after?.stored?.sinceMs, START_MS);
  assert.equal(after?.stored?.takeovers, 5);
});
