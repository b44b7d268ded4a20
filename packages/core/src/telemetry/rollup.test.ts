import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INTERVAL_MS, INTERVALS } from '@granary/contract/telemetry/telemetry';
import { DAY_MS } from '@granary/contract/time';
import { type NamedValues, namedValue, readingOf } from '@granary/testing/core/readings';
import fc from 'fast-check';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { distinctReadings, missingPart, newestValues, type Reading } from './readings.ts';
import { type BadFigures, type Rollup, rollUp } from './rollup.ts';

const START_MS = Date.UTC(2026, 0, 1, 23, 50);

const values = fc
  .record(
    { weight: fc.integer({ min: -1e6, max: 1e10 }), temperature: fc.integer({ min: -60_000, max: 120_000 }) },
    { requiredKeys: [] },
  )
  .filter((some) => Object.keys(some).length > 0);

/** Some of the values of a reading are bad. */
const reading: fc.Arbitrary<Reading> = fc
  .record({
    deviceNo: fc.integer({ min: 1, max: 3 }),
    tsMs: fc.integer({ min: -500, max: 500 }).map((step) => START_MS + step * 97_000),
    all: values,
    badChannels: fc.subarray(['weight', 'temperature']),
  })
  .map(({ deviceNo, tsMs, all, badChannels }) => {
    const [bad = [], good = []] = [true, false].map((isBad) =>
      Object.entries(all).filter(([channel]) => badChannels.includes(channel) === isBad),
    );
    return readingOf(deviceNo, tsMs, Object.fromEntries(good), Object.fromEntries(bad));
  });

const NAMES = ['weight', 'temperature', 'humidity'] as const;

/** The values of a reading, each in a reading of its own. */
const partsOf = (whole: Reading): Reading[] =>
  NAMES.flatMap((name) => {
    const found = namedValue(whole, name);
    if (found === undefined) return [];
    const part = { [name]: found.value };
    const { deviceNo, tsMs } = whole;
    return [found.isBad ? readingOf(deviceNo, tsMs, {}, part) : readingOf(deviceNo, tsMs, part)];
  });

const readings: fc.Arbitrary<Reading[]> = fc.uniqueArray(reading, {
  selector: ({ deviceNo, tsMs }) => `${deviceNo} ${tsMs}`,
  maxLength: 60,
});

/** The same readings as a troubled link delivers them: some twice, some in parts, in any order, in any batches. */
const deliveries = readings.chain((sent) =>
  fc
    .tuple(fc.subarray(sent), fc.subarray(sent), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }))
    .chain(([again, inParts, sizes]) => {
      const parts = inParts.flatMap(partsOf);
      const delivered = [...sent, ...again, ...parts];
      return fc
        .shuffledSubarray(delivered, { minLength: delivered.length })
        .map((shuffled) => ({ sent, batches: split(shuffled, sizes) }));
    }),
);

function split(items: Reading[], sizes: number[]): Reading[][] {
  const batches: Reading[][] = [];
  for (let from = 0, turn = 0; from < items.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    batches.push(items.slice(from, from + size));
    from += size;
  }
  return batches;
}

/** Does what a store does with each batch, in memory. */
function storeInBatches(batches: Reading[][]): Rollup[] {
  const stored = new Map<string, Reading>();
  const buckets = new Map<string, Rollup>();
  for (const batch of batches) {
    const news = distinctReadings(batch).flatMap((one) => {
      const key = `${one.deviceNo} ${one.tsMs}`;
      const known = stored.get(key);
      stored.set(key, distinctReadings(known === undefined ? [one] : [known, one])[0] ?? one);
      return known === undefined ? one : (missingPart(known, one) ?? []);
    });
    for (const rollup of rollUp(news)) {
      const known = buckets.get(keyOf(rollup));
      buckets.set(keyOf(rollup), known === undefined ? rollup : sumOf(known, rollup));
    }
  }
  return [...buckets.values()];
}

const keyOf = ({ deviceNo, group, slot, interval, startMs }: Rollup): string =>
  `${deviceNo} ${group} ${slot} ${interval} ${startMs}`;

function sumOf(a: Rollup, b: Rollup): Rollup {
  const later = b.lastTsMs > a.lastTsMs ? b : a;
  return {
    ...later,
    sum: a.sum + b.sum,
    count: a.count + b.count,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    bad: a.bad === null || b.bad === null ? (a.bad ?? b.bad) : sumOfBad(a.bad, b.bad),
  };
}

function sumOfBad(a: BadFigures, b: BadFigures): BadFigures {
  return { ...(b.lastTsMs > a.lastTsMs ? b : a), count: a.count + b.count };
}

/** Computes the buckets directly from their definition, without adding roll-ups. */
function recompute(sent: readonly Reading[]): Rollup[] {
  const buckets = new Map<string, Rollup>();
  for (const interval of INTERVALS) {
    for (const name of NAMES) {
      for (const { deviceNo, tsMs } of sent.filter((one) => namedValue(one, name) !== undefined)) {
        const startMs = Math.floor(tsMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];
        const inWindow = sent
          .filter((other) => other.deviceNo === deviceNo)
          .filter((other) => other.tsMs >= startMs && other.tsMs < startMs + INTERVAL_MS[interval])
          .toSorted((a, b) => a.tsMs - b.tsMs);
        const inside = inWindow.filter((other) => namedValue(other, name)?.isBad === false);
        const bad = inWindow.filter((other) => namedValue(other, name)?.isBad === true);
        const lastBad = bad.at(-1);
        const all = inside.map((other) => namedValue(other, name)?.value ?? Number.NaN);
        const bucket: Rollup = {
          deviceNo,
          ...STANDARD_SENSORS[name].lane,
          interval,
          startMs,
          sum: all.reduce((total, value) => total + value, 0),
          count: all.length,
          min: Math.min(...all),
          max: Math.max(...all),
          last: all.at(-1) ?? Number.NaN,
          lastTsMs: inside.at(-1)?.tsMs ?? Number.NEGATIVE_INFINITY,
          bad: lastBad
            ? {
                count: bad.length,
                last: namedValue(lastBad, name)?.value ?? Number.NaN,
                lastTsMs: lastBad.tsMs,
              }
            : null,
        };
        buckets.set(keyOf(bucket), bucket);
      }
    }
  }
  return [...buckets.values()];
}

const sorted = (rollups: Rollup[]): Rollup[] => rollups.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

describe('rolling up readings', () => {
  it('gives the same buckets however the readings were delivered', () => {
    fc.assert(
      fc.property(deliveries, ({ sent, batches }) => {
        assert.deepEqual(sorted(storeInBatches(batches)), sorted(recompute(sent)));
      }),
    );
  });

  it('finds the newest value of every sensor, good or bad', () => {
    fc.assert(
      fc.property(readings, (sent) => {
        for (const { deviceNo, slot, value, tsMs, isBad } of newestValues(distinctReadings(sent))) {
          const name = NAMES[slot];
          const own = sent.filter((one) => one.deviceNo === deviceNo);
          const newest = own.filter((one) => namedValue(one, name) !== undefined);
          assert.equal(tsMs, Math.max(...newest.map((one) => one.tsMs)));
          const last = newest.find((one) => one.tsMs === tsMs);
          assert.deepEqual({ value, isBad }, last && namedValue(last, name));
        }
      }),
    );
  });

  it('names every series once among the newest values', () => {
    const sent = [2, 1].flatMap((deviceNo) =>
      [0, 1, 2].map((day) => readingOf(deviceNo, START_MS + day * DAY_MS, { weight: day })),
    );
    const newest = { ...STANDARD_SENSORS.weight.lane, value: 2, tsMs: START_MS + 2 * DAY_MS, isBad: false };
    const found = newestValues(distinctReadings(sent)).toSorted((a, b) => a.deviceNo - b.deviceNo);
    assert.deepEqual(found, [
      { deviceNo: 1, ...newest },
      { deviceNo: 2, ...newest },
    ]);
  });
});

describe('distinct readings', () => {
  const at = (tsMs: number, good: NamedValues, bad: NamedValues = {}): Reading =>
    readingOf(1, tsMs, good, bad);

  it('keeps the first value and fills in what it lacked', () => {
    assert.deepEqual(distinctReadings([at(5, { weight: 1 }), at(3, {}), at(5, { weight: 2, humidity: 3 })]), [
      at(3, {}),
      at(5, { weight: 1, humidity: 3 }),
    ]);
  });

  it('takes nothing from a reading that says nothing new', () => {
    const weighed = at(5, { weight: 0 });
    assert.equal(missingPart(at(5, { weight: 0, humidity: 2 }), at(5, { weight: 9 })), undefined);
    assert.deepEqual(missingPart(weighed, at(5, { weight: 9, humidity: 0 })), at(5, { humidity: 0 }));
    assert.equal(missingPart(weighed, at(5, {}, { weight: 9 })), undefined);
  });

  it('keeps a value good or bad as it came first', () => {
    const good = at(5, { weight: 1 });
    const bad = at(5, { humidity: 3 }, { weight: 2 });
    assert.deepEqual(distinctReadings([good, bad]), [at(5, { weight: 1, humidity: 3 })]);
    assert.deepEqual(distinctReadings([bad, good]), [bad]);
  });
});
