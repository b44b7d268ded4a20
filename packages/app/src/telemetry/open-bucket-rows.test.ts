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
/** A row begins with a value. */
const row = fc
  .tuple(
    fc.oneof(fc.constant(Number.NaN), fc.maxSafeInteger()),
    fc.array(number, { minLength: NUMBERS - 1, maxLength: NUMBERS - 1 }),
  )
  .map(([value, others]) => [value, ...others]);
const rows = fc.array(
  fc.oneof(
    row,
    fc.array(fc.oneof(fc.constant(Number.NaN), fc.integer()), { minLength: NUMBERS, maxLength: NUMBERS }),
  ),
  { maxLength: 5 },
);

/** Three sensors that have reported every ten seconds for five minutes. */
const USUAL = [
  [12_345_678, 1_800_000_290_000, 370_370_412, 30, 12_345_600, 12_345_800],
  [18_250, 1_800_000_290_000, 547_411, 30, 18_200, 18_300],
  [55_500, 1_800_000_290_000, 1_665_120, 30, 55_400, 55_600],
].flat();

const openOf = (numbers: readonly number[]): Float64Array => {
  const open = new Float64Array(NUMBERS).fill(Number.NaN);
  open.set(numbers);
  return open;
};

describe('the bytes of open buckets', () => {
  it('have every number and every missing one', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const bytes = new OpenBucketBytes(all.length);
        const bodies = all.map((one) => bytes.add(Float64Array.from(one)));
        const read = bodies.map((body) => [...openBucketsIn(body)].map((n) => n + 0));
        assert.deepEqual(
          read,
          all.map((one) => one.map((n) => n + 0)),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('are few where the numbers are usual', () => {
    const body = new OpenBucketBytes(1).add(openOf(USUAL));
    assert.deepEqual(openBucketsIn(body), openOf(USUAL));
    assert.ok(body.length <= 44, `${body.length} bytes`);
  });

  it('are read as whole numbers where they were stored so', () => {
    const body = new Uint8Array(16);
    new DataView(body.buffer).setInt32(0, -(2 ** 31));
    new DataView(body.buffer).setUint32(12, 7);
    assert.deepEqual(openBucketsIn(body), openOf([Number.NaN, 7]));
    assert.deepEqual(openBucketsIn(null), openOf([]));
  });

  it('are refused for a number of more than 64 bits', () => {
    for (const tooLarge of [2 ** 63, -(2 ** 63), Number.POSITIVE_INFINITY]) {
      assert.throws(() => new OpenBucketBytes(1).add(openOf([1, 1, tooLarge])), RangeError);
    }
  });
});
