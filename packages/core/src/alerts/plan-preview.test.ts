import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '@granary/contract/time';
import { started } from '@granary/testing/core/operation-situations';
import { initialConfiguration } from '../configuration/silo-configuration.ts';
import { NEVER_SEEN } from '../devices/status.ts';
import type { SiloAtStart } from '../operations/interlocks.ts';
import { previewOperation } from './plan-preview.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

const USUAL = { amountG: null, shiftMs: 8 * HOUR_MS };

const silo: SiloAtStart = {
  presence: { ...NEVER_SEEN, lastSeenAtMs: NOW_MS, linkDownAtMs: null, reportedState: 'online' },
  weight: { value: 410_000, tsMs: NOW_MS },
  capacityKg: 1_000,
  configuration: {
    ...initialConfiguration(NOW_MS),
    thresholds: { low_level: 20, high_level: 90, critical_level: 10 },
    operation_limits: { max_feed_rate: 120, max_discharge_rate: 60, rate_unit: 'kg/min' },
  },
  isReachable: true,
  operations: [],
};

describe('the preview of an operation', () => {
  it('shows duration, limits, room, stock and level', () => {
    assert.deepEqual(previewOperation({ type: 'discharge', amount: 0.06, unit: 't' }, silo, USUAL, NOW_MS), {
      estimated_duration: 1,
      duration_unit: 'minutes',
      unit: 't',
      rate: 60,
      rate_limit: 60,
      rate_unit: 'kg/min',
      room: 0.59,
      stock: 0.41,
      level_before: 41,
      level_after: 35,
      crosses: [],
      usual_amount: null,
      warnings: [],
      refusal: null,
    });
  });

  it('names the thresholds that the level passes, as the alerts are raised', () => {
    const crosses = (type: 'feed' | 'discharge', amount: number) =>
      previewOperation({ type, amount }, silo, USUAL, NOW_MS).crosses;
    assert.deepEqual(crosses('discharge', 209), []);
    assert.deepEqual(crosses('discharge', 210), ['low_level']);
    assert.deepEqual(crosses('discharge', 400), ['low_level', 'critical_level']);
    assert.deepEqual(crosses('feed', 490), ['high_level']);
  });

  it('does not name a threshold that is passed already', () => {
    const low = { ...silo, weight: { value: 150_000, tsMs: NOW_MS } };
    assert.deepEqual(previewOperation({ type: 'discharge', amount: 10 }, low, USUAL, NOW_MS).crosses, []);
  });

  it('warns of a passed threshold, of far more than is usual, and of more than a shift', () => {
    const large = { ...silo, capacityKg: 100_000 };
    const plan = (amount: number, amountG: number | null) =>
      previewOperation({ type: 'feed', amount }, large, { ...USUAL, amountG }, NOW_MS);
    assert.deepEqual(plan(5_000, 500_000).warnings, []);
    assert.equal(plan(5_000, 500_000).usual_amount, 500);
    assert.deepEqual(plan(5_001, 500_000).warnings, ['far_above_usual']);
    assert.deepEqual(plan(5_001, null).warnings, []);
    assert.deepEqual(plan(120 * 60 * 8, null).warnings, []);
    assert.deepEqual(plan(120 * 60 * 8 + 1, null).warnings, ['longer_than_shift']);
    assert.deepEqual(plan(95_000, 500_000).warnings, [
      'passes_threshold',
      'far_above_usual',
      'longer_than_shift',
    ]);
  });

  it('has the refusal of the start', () => {
    const code = (changes: Partial<SiloAtStart>, amount = 10, rate = 10) =>
      previewOperation({ type: 'discharge', amount, rate }, { ...silo, ...changes }, USUAL, NOW_MS).refusal
        ?.code;
    assert.equal(code({}), undefined);
    assert.equal(code({ isReachable: false }), 'device_offline');
    assert.equal(code({ operations: [started] }), 'operation_in_progress');
    assert.equal(code({}, 10, 61), 'rate_exceeds_limit');
    assert.equal(code({}, 411), 'insufficient_stock');
    assert.equal(code({}, 0.0001), 'invalid_input');
  });

  it('knows no level without a plausible weight', () => {
    for (const weight of [undefined, { value: 1e12, tsMs: NOW_MS }]) {
      const plan = previewOperation({ type: 'feed', amount: 120 }, { ...silo, weight }, USUAL, NOW_MS);
      assert.deepEqual(
        [plan.room, plan.stock, plan.level_before, plan.level_after, plan.estimated_duration],
        [null, null, null, null, 1],
      );
      assert.equal(plan.refusal?.code, 'reading_stale');
    }
  });
});
