import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, type SiloNow } from './plan.ts';

const LOW = { name: 'low level', value: 20, severity: 'warning' } as const;
const HIGH = { name: 'high level', value: 90, severity: 'warning' } as const;

const SILO: SiloNow = {
  weightKg: 4_100,
  capacityKg: 10_000,
  limits: { max_feed_rate: 200, max_discharge_rate: 100 },
  thresholds: [HIGH, LOW],
};

test('a discharge lowers the level and stays above the low level', () => {
  const plan = planOf({ type: 'discharge', body: { amount: 500, target_container: 'Truck 7' } }, SILO);
  assert.deepEqual([plan.minutes, plan.levelBefore, plan.levelAfter], [5, 41, 36]);
  assert.deepEqual([plan.crosses, plan.staysWithin], [[], LOW]);
});

test('a discharge that falls below the low level says so', () => {
  const plan = planOf({ type: 'discharge', body: { amount: 3, unit: 't', target_container: 'x' } }, SILO);
  assert.deepEqual([plan.crosses, plan.staysWithin, plan.isTooMuch], [[LOW], null, false]);
});

test('more than there is room for, or than is inside', () => {
  assert.equal(planOf({ type: 'feed', body: { amount: 6, unit: 't' } }, SILO).isTooMuch, true);
  assert.equal(planOf({ type: 'feed', body: { amount: 5.9, unit: 't' } }, SILO).isTooMuch, false);
  assert.equal(
    planOf({ type: 'discharge', body: { amount: 4_101, target_container: 'x' } }, SILO).isTooMuch,
    true,
  );
});

test('faster than allowed', () => {
  assert.equal(planOf({ type: 'feed', body: { amount: 1, rate: 201 } }, SILO).isTooFast, true);
});

test('without a weight there is no level', () => {
  const plan = planOf({ type: 'feed', body: { amount: 100 } }, { ...SILO, weightKg: null });
  assert.deepEqual(
    [plan.levelBefore, plan.levelAfter, plan.isTooMuch, plan.minutes],
    [null, null, false, 0.5],
  );
});
