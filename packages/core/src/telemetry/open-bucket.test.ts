import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import { readingOf } from '@granary/testing/core/readings';
import fc from 'fast-check';
import { addToOpenBuckets, ClosedBuckets, OPEN_BUCKET_NUMBERS } from './open-bucket.ts';
import { distinctReadings, type Reading } from './readings.ts';
import { type Rollup, rollUpMinutes } from './rollup.ts';

const START_MS = Date.UTC(2026, 0, 1, 12);

const reading: fc.Arbitrary<Reading> = fc
  .record({
    minute: fc.integer({ min: -30, max: 30 }),
    good: fc.record({ weight: fc.integer(), temperature: fc.integer() }, { requiredKeys: [] }),
    bad: fc.record({ humidity: fc.integer() }, { requiredKeys: [] }),
    isTemperatureBad: fc.boolean(),
  })
  .map(({ minute, good: { weight, temperature }, bad, isTemperatureBad }) => {
    const warm = temperature === undefined ? {} : { temperature };
    const weighed = weight === undefined ? {} : { weight };
    const [good, alsoBad] = isTemperatureBad ? [weighed, warm] : [{ ...weighed, ...warm }, {}];
    return readingOf(1, START_MS + minute * MINUTE_MS, good, { ...bad, ...alsoBad });
  });

const batches = fc
  .uniqueArray(reading, { selector: ({ tsMs }) => tsMs, maxLength: 40 })
  .chain((readings) => fc.tuple(fc.constant(readings), fc.integer({ min: 1, max: 9 })));

const noBuckets = () => new Float64Array(OPEN_BUCKET_NUMBERS).fill(Number.NaN);

const keyOf = ({ slot, startMs }: Rollup): string => `${slot} ${startMs}`;
const byKey = (a: Rollup, b: Rollup): number => (keyOf(a) < keyOf(b) ? -1 : 1);
const badCountOf = ({ bad }: Rollup): number => bad?.count ?? 0;

/** Adds the buckets that were closed at several times, as the table of buckets does. */
function total(parts: readonly Rollup[]): Rollup[] {
  const buckets = new Map<string, Rollup>();
  for (const part of parts) {
    const known = buckets.get(keyOf(part));
    const later = known === undefined || part.lastTsMs > known.lastTsMs ? part : known;
    const count = badCountOf(part) + (known === undefined ? 0 : badCountOf(known));
    const lastBad = [known?.bad, part.bad]
      .filter((bad) => bad != null)
      .sort((a, b) => a.lastTsMs - b.lastTsMs);
    buckets.set(keyOf(part), {
      ...later,
      sum: part.sum + (known?.sum ?? 0),
      count: part.count + (known?.count ?? 0),
      min: Math.min(part.min, known?.min ?? part.min),
      max: Math.max(part.max, known?.max ?? part.max),
      bad: count === 0 ? null : ({ ...lastBad[lastBad.length - 1], count } as Rollup['bad']),
    });
  }
  return [...buckets.values()].sort(byKey);
}

describe('open buckets', () => {
  it('have, together with the closed ones, what a roll-up of all readings has', () => {
    fc.assert(
      fc.property(batches, ([readings, size]) => {
        const open = noBuckets();
        const closed: Rollup[] = [];
        for (let from = 0; from < readings.length; from += size) {
          const ending = new ClosedBuckets();
          for (const one of distinctReadings(readings.slice(from, from + size))) {
            addToOpenBuckets(open, one, ending);
          }
          closed.push(...ending.rollups());
        }
        // A reading of the far future closes every bucket that is still open.
        const ending = new ClosedBuckets();
        const last = { weight: 1, temperature: 1, humidity: 1 };
        addToOpenBuckets(open, readingOf(1, START_MS + 1_000 * MINUTE_MS, last), ending);
        assert.deepEqual(
          total([...closed, ...ending.rollups()]),
          rollUpMinutes(distinctReadings(readings)).sort(byKey),
        );
      }),
    );
  });

  it('return each closed bucket once, in the order of sensors and times', () => {
    const open = noBuckets();
    const ending = new ClosedBuckets();
    addToOpenBuckets(open, readingOf(1, START_MS, { weight: 1, temperature: 2 }), ending);
    for (const minute of [-20, -12, -11, 6, 12]) {
      addToOpenBuckets(open, readingOf(1, START_MS + minute * MINUTE_MS, { weight: minute }), ending);
    }
    const closed = ending
      .rollups()
      .map(({ slot, startMs, sum }) => [slot, (startMs - START_MS) / MINUTE_MS, sum]);
    assert.deepEqual(closed, [
      [0, -20, -20],
      [0, -15, -23],
      [0, 0, 1],
      [0, 5, 6],
    ]);
  });
});
