import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { OpenBucketBytes, openBucketsIn } from './open-bucket-rows.ts';

const NUMBERS = 27;

const number = fc.oneof(
  fc.constant(Number.NaN),
  fc.maxSafeInteger(),
  fc.integer(),
  // A sum of large values is exact only to 53 bits.
  fc.maxSafeInteger().map((whole) => whole * 1_023),
);
const rows = fc.array(fc.array(number, { minLength: NUMBERS, maxLength: NUMBERS }), { maxLength: 5 });

describe('the bytes of open buckets', () => {
  it('have every number and every missing one', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const bytes = new OpenBucketBytes(all.length, NUMBERS);
        const bodies = all.map((one) => bytes.add(Float64Array.from(one), NUMBERS));
        const read = bodies.map((body) => [...openBucketsIn(body, NUMBERS)].map((n) => n + 0));
        assert.deepEqual(
          read,
          all.map((one) => one.map((n) => n + 0)),
        );
      }),
    );
  });

  it('lack the last numbers where they are not stored', () => {
    const body = new OpenBucketBytes(1, NUMBERS).add(new Float64Array(NUMBERS).fill(7), 2);
    assert.deepEqual([...openBucketsIn(body, 4)], [7, 7, Number.NaN, Number.NaN]);
    assert.deepEqual([...openBucketsIn(null, 2)], [Number.NaN, Number.NaN]);
  });

  it('are refused for a number of more than 64 bits', () => {
    for (const tooLarge of [2 ** 63, -(2 ** 63), Number.POSITIVE_INFINITY]) {
      assert.throws(() => new OpenBucketBytes(1, 1).add(Float64Array.of(tooLarge), 1), RangeError);
    }
  });
});
