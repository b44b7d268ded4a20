import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASS_UNITS, type MassUnit, RATE_UNITS, type RateUnit } from '@granary/contract/operations';
import fc from 'fast-check';
import { fromGrams, fromGramsPerMin, toGrams, toGramsPerMin } from './units.ts';

const MASSES: readonly (readonly [number, MassUnit, number])[] = [
  [1, 'kg', 1_000],
  [0.0004, 'kg', 0],
  [1.2345, 't', 1_234_500],
  [1, 'lb', 454],
  [100, 'lb', 45_359],
  [7, 'g', 7],
];

for (const [amount, unit, grams] of MASSES) {
  test(`${amount} ${unit} are ${grams} g`, () => assert.equal(toGrams(amount, unit), grams));
}

const RATES: readonly (readonly [number, RateUnit, number])[] = [
  [1, 'kg/min', 1_000],
  [6, 't/h', 100_000],
  [60, 'kg/h', 1_000],
  [1, 'lb/min', 453.59237],
];

for (const [rate, unit, gramsPerMin] of RATES) {
  test(`${rate} ${unit} are ${gramsPerMin} g/min`, () =>
    assert.equal(toGramsPerMin(rate, unit), gramsPerMin));
}

const STEP: Record<MassUnit, number> = { kg: 1e3, t: 1e6, lb: 1e2, g: 1 };

test('a mass is answered as it was asked, in every unit and to its last digit', () => {
  const steps = fc.integer({ min: 0, max: 1e10 });
  fc.assert(
    fc.property(fc.constantFrom(...MASS_UNITS), steps, (unit, count) => {
      const amount = count / STEP[unit];
      assert.equal(fromGrams(toGrams(amount, unit), unit), amount);
    }),
  );
});

test('a rate is answered as it was asked', () => {
  const thousandths = fc.integer({ min: 1, max: 1e9 });
  fc.assert(
    fc.property(fc.constantFrom(...RATE_UNITS), thousandths, (unit, count) => {
      const rate = count / 1e3;
      assert.equal(fromGramsPerMin(toGramsPerMin(rate, unit), unit), rate);
    }),
  );
});
