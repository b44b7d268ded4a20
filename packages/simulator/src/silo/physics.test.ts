import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siloScale } from '@granary/contract/profiles/silo-scale';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import fc from 'fast-check';
import { ageOn, feedKgOn, roundOn } from './herd.ts';
import { measure, readingAt } from './scale.ts';
import { bodyAt, moveMaterial, offsetKg, stepBody } from './silo-body.ts';
import { SILOS, type Silo } from './silos.ts';
import { weightKgAt } from './weight.ts';

const START_MS = Date.UTC(2025, 0, 1);
const STEP_MS = 15 * MINUTE_MS;

const anySilo = fc.constantFrom(...SILOS);
const anyTimeMs = fc.integer({ min: Date.UTC(1975, 0, 1), max: Date.UTC(2100, 0, 1) });

/** The largest share of its capacity by which a silo may change in one minute. */
const SHARE_PER_MINUTE_MAX = 0.035;

test('the farm has at least eight silos of several models and sizes in two facilities', () => {
  const distinct = <T>(pick: (silo: (typeof SILOS)[number]) => T) => new Set(SILOS.map(pick)).size;
  assert.ok(SILOS.length >= 8);
  assert.equal(
    distinct(({ id }) => id),
    SILOS.length,
  );
  assert.ok(distinct(({ facility }) => facility) >= 2);
  assert.ok(distinct(({ model }) => model) >= 3);
  assert.ok(distinct(({ capacityKg }) => capacityKg) >= 8);
});

test('weight stays between empty and full at any time', () => {
  fc.assert(
    fc.property(anySilo, anyTimeMs, (silo, timeMs) => {
      const weightKg = weightKgAt(silo, timeMs);
      assert.ok(weightKg >= 0 && weightKg <= silo.capacityKg, `${silo.id}: ${weightKg}`);
    }),
    { numRuns: 2_000 },
  );
});

function assertGradual(silo: Silo, timeMs: number): void {
  const movedKg = Math.abs(weightKgAt(silo, timeMs + MINUTE_MS) - weightKgAt(silo, timeMs));
  assert.ok(movedKg <= silo.capacityKg * SHARE_PER_MINUTE_MAX, `${silo.id}: ${movedKg} kg in a minute`);
}

test('weight never jumps: one minute moves no more than use or a truck can', () => {
  fc.assert(fc.property(anySilo, anyTimeMs, assertGradual), { numRuns: 2_000 });
});

/** Returns whether a silo is in daily use; the others are stores that are filled once a year. */
const isUsed = ({ use }: Silo): boolean => use.dailyKg !== 0;

for (const silo of SILOS.filter(isUsed)) {
  test(`${silo.id} is refilled when it is low, and never runs dry, for a year`, () => {
    let lowestKg = Number.POSITIVE_INFINITY;
    let refills = 0;
    let wasFilling = false;
    let weightKg = weightKgAt(silo, START_MS);
    for (let timeMs = START_MS; timeMs < START_MS + 365 * DAY_MS; timeMs += STEP_MS) {
      const nextKg = weightKgAt(silo, timeMs + STEP_MS);
      const isFilling = nextKg > weightKg;
      if (isFilling && !wasFilling) {
        refills++;
        assert.ok(weightKg < 0.35 * silo.capacityKg, `refilled at ${weightKg} kg`);
      }
      if (isFilling) for (let ms = 0; ms < STEP_MS; ms += MINUTE_MS) assertGradual(silo, timeMs + ms);
      wasFilling = isFilling;
      lowestKg = Math.min(lowestKg, nextKg);
      weightKg = nextKg;
    }
    const visits = 365 / silo.delivery.everyDays;
    // No feed is delivered to an empty house.
    const fewest = silo.delivery.fillTo === 'use' ? 0.7 * visits : visits - 1;
    assert.ok(refills >= fewest && refills <= visits + 1, `${refills} refills`);
    assert.ok(lowestKg > 0.01 * silo.capacityKg, `nearly ran dry: ${lowestKg} kg`);
  });
}

test('afternoons are warmer and drier than nights', () => {
  for (const silo of SILOS) {
    const mean = (hour: number, pick: 'temperature' | 'humidity') => {
      const days = Array.from({ length: 60 }, (_, day) => START_MS + day * DAY_MS + (hour - 1) * HOUR_MS);
      return days.reduce((sum, timeMs) => sum + readingAt(silo, timeMs)[pick], 0) / days.length;
    };
    assert.ok(mean(15, 'temperature') > mean(3, 'temperature') + 1, silo.id);
    assert.ok(mean(15, 'humidity') < mean(3, 'humidity') - 1, silo.id);
  }
});

test('every reading is one the device link accepts, inside what the scale can show', () => {
  fc.assert(
    fc.property(anySilo, anyTimeMs, (silo, timeMs) => {
      const reading = readingAt(silo, timeMs);
      assert.deepEqual(siloScale.checkTelemetry.faults(reading), []);
      assert.ok(reading.weight >= 0 && reading.weight <= silo.capacityKg);
      assert.ok(reading.humidity >= 0 && reading.humidity <= 100);
    }),
  );
});

test('sensors are a little noisy, and say the same when asked again', () => {
  for (const silo of SILOS) {
    const reading = readingAt(silo, START_MS);
    assert.deepEqual(readingAt(silo, START_MS), reading);
    assert.ok(
      Math.abs(reading.weight - weightKgAt(silo, START_MS)) <= silo.model.noiseKg + silo.model.resolutionKg,
    );
  }
  const silo = SILOS[0];
  assert.ok(silo);
  const midnights = Array.from({ length: 20 }, (_, i) => readingAt(silo, START_MS + i * 10_000).weight);
  assert.ok(new Set(midnights).size > 1);
});

test('a body stepped through time continues the history without a jump, in steps of any size', () => {
  fc.assert(
    fc.property(
      anySilo,
      anyTimeMs,
      fc.array(fc.integer({ min: -60_000, max: DAY_MS })),
      (silo, timeMs, stepsMs) => {
        let body = bodyAt(silo, timeMs);
        for (const stepMs of stepsMs) body = stepBody(silo, body, body.timeMs + stepMs);
        assert.ok(Math.abs(body.weightKg - weightKgAt(silo, body.timeMs)) < 1e-3);
        assert.deepEqual(measure(silo, bodyAt(silo, timeMs)), readingAt(silo, timeMs));
      },
    ),
  );
});

test('pouring adds its mass while habits rest, and never beyond the walls', () => {
  const anyKg = fc.double({ min: -50_000, max: 50_000, noNaN: true });
  fc.assert(
    fc.property(anySilo, anyTimeMs, anyKg, (silo, timeMs, kg) => {
      const before = bodyAt(silo, timeMs);
      const after = moveMaterial(silo, before, timeMs + MINUTE_MS, kg);
      const possibleKg = Math.min(silo.capacityKg, Math.max(0, before.weightKg + kg));
      assert.deepEqual(after, { timeMs: timeMs + MINUTE_MS, weightKg: possibleKg });
      const again = bodyAt(silo, after.timeMs, offsetKg(silo, after));
      assert.ok(Math.abs(again.weightKg - after.weightKg) < 1e-6);
    }),
  );
});

test('animals eat more as they grow, and nothing while their house is empty', () => {
  const herds = SILOS.flatMap(({ use }) => (typeof use.dailyKg === 'number' ? [] : [use.dailyKg]));
  assert.deepEqual(
    herds.map(({ kind }) => kind),
    ['broiler', 'pig'],
  );
  for (const herd of herds) {
    const { startedOn, endsOn } = roundOn(herd, 20_000);
    assert.ok(startedOn <= 20_000 && endsOn - startedOn === herd.presentDays && ageOn(herd, startedOn) === 1);
    for (let day = startedOn + 1; day < endsOn; day += 1)
      assert.ok(feedKgOn(herd, day) > feedKgOn(herd, day - 1));
    for (let day = endsOn; day < startedOn + herd.roundDays; day += 1) assert.equal(feedKgOn(herd, day), 0);
  }
  const birds = { kind: 'broiler', heads: 1, roundDays: 47, presentDays: 42, beganOn: 0 } as const;
  const eatenKg = Array.from({ length: 42 }, (_, day) => feedKgOn(birds, day)).reduce(
    (sum, kg) => sum + kg,
    0,
  );
  assert.ok(Math.abs(eatenKg - 0.97 * 4.585) < 0.001, `${eatenKg} kg in 42 days`);
  const pigs = { kind: 'pig', heads: 1, roundDays: 117, presentDays: 112, beganOn: 0 } as const;
  assert.ok(Math.abs(feedKgOn(pigs, 0) - 1.13) < 0.1, 'at 25 kg');
});

test('a leak empties a silo by half a percent of its capacity a day', () => {
  const leaking = SILOS.find(({ use }) => use.leakShare !== undefined);
  assert.ok(leaking);
  const lostKg = weightKgAt(leaking, START_MS) - weightKgAt(leaking, START_MS + DAY_MS);
  assert.ok(Math.abs(lostKg - 0.005 * leaking.capacityKg) < 1e-6, `${lostKg} kg`);
});
