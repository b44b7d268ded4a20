import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../time.ts';
import { deliveryFit } from './delivery-fit.ts';

const at = (hours: number, kg: number) => ({ atMs: hours * HOUR_MS, kg });
/** 10 t in a silo of 16 t, with a use of one tonne a day for five days. */
const LEVELS = [at(0, 10_000), at(24, 9_000), at(48, 8_000), at(120, 5_000)];

test('a delivery fits as far as there is room at its time, and as a whole later', () => {
  const capacityKg = 16_000;
  assert.deepEqual(deliveryFit(LEVELS, capacityKg, at(0, 5_000)), { kg: 5_000, allFromMs: 0 });
  const large = deliveryFit(LEVELS, capacityKg, at(12, 7_000));
  assert.equal(Math.round(large.kg), 6_020);
  assert.equal(large.allFromMs, 36 * HOUR_MS);
});

test('of what never fits nothing is promised', () => {
  assert.deepEqual(deliveryFit(LEVELS, 16_000, at(0, 20_000)), { kg: 5_520, allFromMs: null });
  assert.deepEqual(deliveryFit(LEVELS, 10_000, at(0, 1_000)).kg, 0);
  assert.deepEqual(deliveryFit([], 10_000, at(0, 20_000)), { kg: 9_700, allFromMs: null });
});

test('after another delivery its room is taken', () => {
  const levels = [at(0, 4_000), at(10, 3_000), at(10, 12_000), at(48, 9_000)];
  assert.equal(deliveryFit(levels, 16_000, at(9, 12_000)).kg, 12_000);
  assert.equal(Math.round(deliveryFit(levels, 16_000, at(10, 12_000)).kg), 3_520);
});
