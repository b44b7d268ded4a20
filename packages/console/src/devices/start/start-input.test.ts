import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availableKg, type DirectedInput, EMPTY_START, planRequestOf, requestOf } from './start-input.ts';

const read = (changes: Partial<DirectedInput>) =>
  requestOf({ ...EMPTY_START, type: 'feed', unit: 'kg', ...changes });

test('a feed needs an amount, and takes the limit where no rate is given', () => {
  assert.deepEqual(read({ amount: '500' }), { type: 'feed', body: { amount: 500, unit: 'kg' } });
  assert.deepEqual(read({ amount: '0.5', unit: 't', rate: '80' }), {
    type: 'feed',
    body: { amount: 0.5, unit: 't', rate: 80, rate_unit: 'kg/min' },
  });
});

test('a discharge needs a container', () => {
  assert.equal(read({ type: 'discharge', amount: '5', container: '  ' }), null);
  assert.deepEqual(read({ type: 'discharge', amount: '5', container: ' Truck 7 ' }), {
    type: 'discharge',
    body: { amount: 5, unit: 'kg', target_container: 'Truck 7' },
  });
});

test('a discharge can be planned before its container is known', () => {
  const input = { ...EMPTY_START, type: 'discharge' as const, unit: 'kg' as const, amount: '99999' };
  assert.deepEqual(planRequestOf(input), { type: 'discharge', amount: 99_999, unit: 'kg' });
  assert.equal(planRequestOf({ ...input, amount: '' }), null);
});

test('what is no positive number is no request', () => {
  for (const amount of ['', ' ', '0', '-1', 'many', 'Infinity', '1e999'])
    assert.equal(read({ amount }), null, amount);
  assert.equal(read({ amount: '5', rate: '0' }), null);
});

test('there is room for what is missing, and a scale may show less than nothing', () => {
  assert.equal(availableKg('feed', { weightKg: 4_100, capacityKg: 10_000 }), 5_900);
  assert.equal(availableKg('discharge', { weightKg: 4_100, capacityKg: 10_000 }), 4_100);
  assert.equal(availableKg('discharge', { weightKg: -3, capacityKg: 10_000 }), 0);
  assert.equal(availableKg('feed', { weightKg: null, capacityKg: 10_000 }), Number.POSITIVE_INFINITY);
});
