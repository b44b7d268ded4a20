import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextThreshold } from './next-threshold.ts';

const at = (value: number) => ({ name: String(value), value, severity: 'warning' }) as const;
const THRESHOLDS = [at(90), at(20), at(10)];

test('the nearest threshold in the direction of the operation', () => {
  assert.equal(nextThreshold('discharge', 36, THRESHOLDS)?.value, 20);
  assert.equal(nextThreshold('discharge', 15, THRESHOLDS)?.value, 10);
  assert.equal(nextThreshold('feed', 36, THRESHOLDS)?.value, 90);
});

test('beyond the last one there is none', () => {
  assert.equal(nextThreshold('discharge', 5, THRESHOLDS), null);
  assert.equal(nextThreshold('feed', 90, THRESHOLDS), null);
});
