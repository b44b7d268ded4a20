import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bucket, bucketsOf, isolatedIndexes, tableOf } from './series.ts';

const bucket = (atMs: number, mean = atMs): Bucket => ({ atMs, mean, min: mean - 1, max: mean + 1 });

test('a gap breaks the line, and another sensor does not', () => {
  const { times, columns } = tableOf([
    { buckets: [bucket(1_000), bucket(2_000), bucket(9_000)], gapMs: 1_500 },
    { buckets: [bucket(1_500)], gapMs: 1_500 },
  ]);
  assert.deepEqual(times, [1, 1.5, 2, 2.75, 9]);
  assert.deepEqual(columns[0]?.[0], [1_000, undefined, 2_000, null, 9_000]);
  assert.deepEqual(columns[0]?.[2], [1_001, undefined, 2_001, null, 9_001]);
  assert.deepEqual(columns[1]?.[0], [undefined, 1_500, undefined, undefined, undefined]);
});

test('a point between two gaps is found', () => {
  assert.deepEqual(isolatedIndexes([1, undefined, 2, null, 3, null, undefined]), [4]);
  assert.deepEqual(isolatedIndexes([5]), [0]);
  assert.deepEqual(isolatedIndexes([]), []);
});

test('a bucket is in the middle of its interval', () => {
  const points = [{ timestamp: '2026-11-16T00:00:00.000Z', value: 5, min: 4, max: 6 }];
  assert.deepEqual(bucketsOf(points, 60_000), [
    { atMs: Date.parse('2026-11-16T00:00:30Z'), mean: 5, min: 4, max: 6 },
  ]);
});
