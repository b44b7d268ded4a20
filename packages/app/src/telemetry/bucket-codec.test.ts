import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bucket, byTime } from '@granary/core/telemetry/history';
import fc from 'fast-check';
import { decodeBuckets, decodeLastValues, encodeBuckets } from './bucket-codec.ts';

const SIZE_MS = 300_000;
/** The largest good value: the sum of 50,000 of them is exact. */
const VALUE_MAX = 180_143_985_094;

const value = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer({ min: -VALUE_MAX, max: VALUE_MAX }),
  fc.constantFrom(VALUE_MAX, -VALUE_MAX, 0),
);

const bucket: fc.Arbitrary<Bucket> = fc
  .record({
    startMs: fc.integer({ min: 0, max: 20_000_000 }).map((n) => n * SIZE_MS),
    values: fc.array(value, { maxLength: 5 }),
    times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5_000_000 })),
    offsetMs: fc.nat(SIZE_MS - 1),
    badCount: fc.oneof(fc.constant(0), fc.nat(1_000)),
  })
  .map(({ startMs, values, times, offsetMs, badCount }) => {
    const isEmpty = values.length === 0;
    return {
      startMs,
      sum: values.reduce((sum, number) => sum + number * times, 0),
      count: values.length * times,
      min: isEmpty ? null : Math.min(...values),
      max: isEmpty ? null : Math.max(...values),
      last: values.at(-1) ?? null,
      lastTsMs: isEmpty ? null : startMs + offsetMs,
      badCount,
    };
  });

describe('encoded buckets', () => {
  it('are decoded as they were, also where sums are not exact any more', () => {
    const buckets = fc
      .uniqueArray(bucket, { selector: ({ startMs }) => startMs, maxLength: 60 })
      .map((list) => list.toSorted(byTime));
    fc.assert(
      fc.property(buckets, (list) => {
        const chunk = encodeBuckets(list, SIZE_MS);
        assert.deepEqual(decodeBuckets(chunk, SIZE_MS), list);
        const lasts = list.flatMap(({ startMs, last }) => (last === null ? [] : [{ startMs, last }]));
        assert.deepEqual(decodeLastValues(chunk, SIZE_MS), lasts);
      }),
      { numRuns: 300 },
    );
  });
});
