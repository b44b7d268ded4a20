import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packReadings, type Reading, unpackReadings } from './readings.ts';

const READINGS: readonly Reading[] = [
  { deviceNo: 1, tsMs: 1_800_000_000_123, group: 1, a: 0, b: null, c: -40, badMask: 4 },
  { deviceNo: 2, tsMs: 0, group: 100, a: null, b: Number.MAX_SAFE_INTEGER, c: null, badMask: 0 },
  { deviceNo: 1, tsMs: 1, group: 2, a: -Number.MAX_SAFE_INTEGER, b: 1, c: 2, badMask: 7 },
];

test('packed readings come back as they were, also through another thread', () => {
  assert.deepEqual(unpackReadings(structuredClone(packReadings(READINGS))), READINGS);
  assert.deepEqual(unpackReadings(packReadings([])), []);
});
