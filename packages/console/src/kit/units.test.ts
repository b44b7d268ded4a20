import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { UNIT_CHOICES, type Units } from '@granary/contract/views';
import fc from 'fast-check';
import { bushels, conversion, METRIC, requestedMass, units } from '../context/units.ts';
import { formatBoth, formatMass, formatQuantity, formatValue } from './format.ts';

const WHEAT_BUSHEL_KG = 60 * 0.45359237;
const STORED = ['kg', 't', 'g', 'lb', 'kg/min', 't/h', 'lb/min', 'celsius', 'm/s', 'percent', 'ppm', ''];
const chosen = fc.record<Units>({
  mass: fc.constantFrom(...UNIT_CHOICES.mass),
  temperature: fc.constantFrom(...UNIT_CHOICES.temperature),
  speed: fc.constantFrom(...UNIT_CHOICES.speed),
});
const bushel = fc.option(fc.double({ min: 1, max: 70, noNaN: true }));
const value = fc.double({ min: -1e7, max: 1e7, noNaN: true });

afterEach(() => {
  units.value = METRIC;
  bushels.value = new Map();
});

test('there and back is the same value', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STORED), chosen, bushel, value, (unit, wanted, bushelKg, stored) => {
      const { toShown, toStored } = conversion(unit, wanted, bushelKg);
      assert.ok(Math.abs(toStored(toShown(stored)) - stored) <= Math.max(1e-6, Math.abs(stored) * 1e-9));
    }),
  );
});

test('what is shown in its stored unit is not touched, and nothing is converted twice', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STORED), chosen, bushel, value, (unit, wanted, bushelKg, stored) => {
      const first = conversion(unit, wanted, bushelKg);
      if (first.unit === unit) assert.equal(first.toShown(stored), stored);
      const again = conversion(first.unit, wanted, bushelKg);
      assert.equal(again.unit, first.unit);
      assert.equal(again.toShown(first.toShown(stored)), first.toShown(stored));
    }),
  );
});

test('without a choice everything is as it is stored', () => {
  for (const unit of STORED) {
    const { unit: shown, toShown } = conversion(unit, METRIC, WHEAT_BUSHEL_KG);
    assert.deepEqual([shown, toShown(12.345)], [unit, 12.345]);
  }
});

test('known values of each unit', () => {
  const cases: readonly (readonly [number, string, Partial<Units>, string, number])[] = [
    [1_000, 'kg', { mass: 'lb' }, 'lb', 2_204.62262185],
    [907.18474, 'kg', { mass: 'short_ton' }, 'short_ton', 1],
    [2.5, 't', { mass: 'kg' }, 'kg', 2_500],
    [WHEAT_BUSHEL_KG * 3, 'kg', { mass: 'bushel' }, 'bushel', 3],
    [100, 'kg/min', { mass: 't' }, 't/h', 6],
    [100, 'kg/min', { mass: 'lb' }, 'lb/min', 220.462262185],
    [WHEAT_BUSHEL_KG, 'kg/min', { mass: 'bushel' }, 'bushel/h', 60],
    [-40, 'celsius', { temperature: 'fahrenheit' }, 'fahrenheit', -40],
    [30, 'celsius', { temperature: 'fahrenheit' }, 'fahrenheit', 86],
    [10, 'm/s', { speed: 'km/h' }, 'km/h', 36],
    [0.44704, 'm/s', { speed: 'mph' }, 'mph', 1],
  ];
  for (const [stored, unit, wanted, shown, expected] of cases) {
    const found = conversion(unit, { ...METRIC, ...wanted }, WHEAT_BUSHEL_KG);
    assert.equal(found.unit, shown);
    assert.ok(Math.abs(found.toShown(stored) - expected) < 1e-6, `${found.toShown(stored)} ${shown}`);
  }
});

test('a bushel needs the product: of an unknown one pounds are shown', () => {
  units.value = { ...METRIC, mass: 'bushel' };
  bushels.value = new Map([['silo-1', WHEAT_BUSHEL_KG]]);
  assert.equal(formatMass(10_000, 'en', 'silo-1'), '367\u00a0bu');
  assert.equal(formatMass(10_000, 'en', 'silo-2'), '22,046\u00a0lb');
  assert.equal(formatMass(10_000, 'en'), '22,046\u00a0lb');
});

test('texts are in the unit of the person, with its digits', () => {
  units.value = { mass: 'lb', temperature: 'fahrenheit', speed: 'mph' };
  assert.deepEqual(
    [
      formatMass(999, 'en'),
      formatMass(25_000, 'de'),
      formatValue(21.4, 'celsius', 'en'),
      formatValue(4, 'm/s', 'en'),
      formatValue(50, 'percent', 'en'),
      formatQuantity(500, 'kg', 'en'),
      formatQuantity(0.5, 'percent', 'en'),
    ],
    [
      '2,202\u00a0lb',
      '55.116\u00a0lb',
      '70.5\u00a0°F',
      '8.95\u00a0mph',
      '50\u00a0%',
      '1,102.3\u00a0lb',
      '0.5\u00a0%',
    ],
  );
});

test('before something is moved, kilograms stand beside any other unit', () => {
  assert.equal(formatBoth(500, 'lb', 'en', null), '500\u00a0lb (226.8\u00a0kg)');
  assert.equal(formatBoth(0.5, 't', 'en', null), '0.5\u00a0t');
  units.value = { ...METRIC, mass: 'lb' };
  assert.equal(formatBoth(500, 'kg', 'en', null), '1,102.3\u00a0lb (500\u00a0kg)');
  assert.equal(formatBoth(60, 'kg/min', 'en', null), '132.3\u00a0lb/min (60\u00a0kg/min)');
});

test('what is typed becomes a request once, to the gram', () => {
  assert.deepEqual(requestedMass(500, 'lb', 0), { amount: 500, unit: 'lb' });
  assert.deepEqual(requestedMass(1.5, 'short_ton', 0), { amount: 3_000, unit: 'lb' });
  assert.deepEqual(requestedMass(10, 'bushel', WHEAT_BUSHEL_KG), { amount: 272.155, unit: 'kg' });
});
