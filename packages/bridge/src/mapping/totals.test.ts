import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addedSince, type Total } from './totals.ts';

function additions(totals: readonly Total[]): (number | null)[] {
  let previous: Total | null = null;
  return totals.map((total) => {
    const addition = addedSince(previous, total);
    previous = addition.total;
    return addition.added;
  });
}

const series = (...values: number[]): Total[] => values.map((value, index) => ({ atMs: index + 1, value }));

test('the first reading says nothing, the next ones what was added, and a reset begins at zero', () => {
  assert.deepEqual(additions(series(12, 12, 13.5, 0, 0.5, 2)), [null, 0, 1.5, 0, 0.5, 1.5]);
  assert.deepEqual(additions(series(30, 0.25)), [null, 0.25], 'it rained between the reset and the reading');
  assert.deepEqual(additions(series(5, -1, 0)), [null, null, 1], 'a negative total is no amount');
});

test('a reading that is repeated or late adds nothing twice', () => {
  assert.deepEqual(
    additions([
      { atMs: 10, value: 1 },
      { atMs: 20, value: 3 },
      { atMs: 20, value: 3 },
      { atMs: 15, value: 2 },
      { atMs: 30, value: 4 },
    ]),
    [null, 2, null, null, 1],
  );
});

test('a total that falls by its rounding was not reset', () => {
  assert.deepEqual(additions(series(1_000, 999.9999, 1_001)), [null, 0, 1]);
});

test('property: without a reset the additions are the whole difference, wherever readings are repeated', () => {
  const steps = fc.array(
    fc.record({ add: fc.integer({ min: 0, max: 50 }), repeats: fc.integer({ min: 1, max: 3 }) }),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(steps, (parts) => {
      let value = 0;
      const totals = parts.flatMap(({ add, repeats }, index) => {
        value += add;
        return Array.from({ length: repeats }, () => ({ atMs: index + 1, value }));
      });
      const sum = additions(totals).reduce<number>((all, added) => all + (added ?? 0), 0);
      assert.equal(sum, value - (totals[0]?.value ?? 0));
    }),
  );
});
