import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ChunkRow, decodeChunk, encodeChunk } from './chunk-codec.ts';

const EXTREMES = [
  0,
  1,
  -1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 48,
  -(2 ** 48),
  2 ** 48 - 1,
];

const wholeNumber = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(...EXTREMES),
);
const value = fc.option(wholeNumber, { nil: null, freq: 4 });
const time = fc.oneof(fc.nat(100), fc.integer({ min: 0, max: 4e12 }), fc.constant(Number.MAX_SAFE_INTEGER));

const row: fc.Arbitrary<ChunkRow> = fc.tuple(
  time,
  fc.oneof(fc.nat(5), fc.maxSafeInteger().map(Math.abs)),
  fc.oneof(fc.constant(1), fc.nat(130)),
  value,
  value,
  value,
  fc.option(fc.nat(7), { nil: null }),
) as fc.Arbitrary<ChunkRow>;

const rows = fc
  .uniqueArray(row, { selector: ([ts, device, group]) => `${ts} ${device} ${group}`, maxLength: 200 })
  .map((list) => list.toSorted((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]));

/** Rows like those of a device: equal spacing, values that change slowly and are multiples of a step. */
const smooth: fc.Arbitrary<ChunkRow[]> = fc
  .record({
    start: fc.integer({ min: 0, max: 2e12 }),
    spacing: fc.integer({ min: 1, max: 100_000 }),
    step: fc.integer({ min: 1, max: 1_000_000 }),
    changes: fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 300 }),
  })
  .map(({ start, spacing, step, changes }) => {
    let level = 0;
    return changes.map((change, n): ChunkRow => {
      level += change;
      return [start + n * spacing, 7, 1, level * step, 5 - level, null, n % 50 === 0 ? 1 : null];
    });
  });

describe('a chunk of readings', () => {
  it('has every row as it was, in the order of keys', () => {
    fc.assert(
      fc.property(fc.oneof(rows, smooth), (list) => {
        assert.deepEqual(decodeChunk(encodeChunk(list)), list);
        assert.deepEqual(decodeChunk(encodeChunk(list.toReversed())), list);
      }),
      { numRuns: 300 },
    );
  });

  it('is decoded in part as in whole', () => {
    fc.assert(
      fc.property(rows, fc.nat(5), fc.nat(3), (list, deviceNo, group) => {
        const isWanted = (device: number, other: number) => device === deviceNo || other === group;
        assert.deepEqual(
          decodeChunk(encodeChunk(list), isWanted),
          list.filter(([, device, other]) => isWanted(device, other)),
        );
      }),
    );
  });

  it('keeps values of all sizes beside each other', () => {
    const list = EXTREMES.flatMap((one, n): ChunkRow[] => [
      [n, 1, 1, one, -one || 0, null, null],
      [n, 1, 2, null, one, null, 7],
    ]);
    assert.deepEqual(decodeChunk(encodeChunk(list)), list);
  });

  it('is refused when it is cut off, or of an encoding that this version does not know', () => {
    const chunk = encodeChunk(
      Array.from({ length: 100 }, (_, n): ChunkRow => [n * n, 1, 1, n, n * n, -n, null]),
    );
    for (let length = 0; length < chunk.length; length++) {
      assert.throws(() => decodeChunk(chunk.subarray(0, length)));
    }
    assert.throws(() => decodeChunk(Uint8Array.of(2, ...chunk.subarray(1))), /unknown encoding 2/);
  });
});
