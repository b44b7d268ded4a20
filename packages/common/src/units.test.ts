import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertUnit, isConvertible } from './units.ts';

test('the units of scales and weather stations become ours', () => {
  const cases: readonly (readonly [number, string, string, number])[] = [
    [212, '°F', 'celsius', 100],
    [-40, '°F', '°C', -40],
    [47.8, '°F', 'celsius', 8.77777777778],
    [300, 'K', 'celsius', 26.85],
    [1, 'mph', 'm/s', 0.44704],
    [8.95, 'mph', 'm/s', 4.001008],
    [36, 'km/h', 'm/s', 10],
    [1, 'kn', 'm/s', 0.514444444444],
    [29.92, 'inHg', 'hPa', 1013.20748907],
    [101_325, 'Pa', 'hPa', 1013.25],
    [0.012, 'in', 'mm', 0.3048],
    [10, 'ft', 'm', 3.048],
    [1_000, 'lb', 'kg', 453.59237],
    [2, 't', 'kg', 2_000],
    [5, 'mm', 'm', 0.005],
    [40, '%', 'percent', 40],
    [7, 'ppm', 'ppm', 7],
  ];
  for (const [value, from, to, result] of cases)
    assert.equal(convertUnit(value, from, to), result, `${value} ${from} in ${to}`);
});

test('units of different quantities, and unknown ones, are not converted', () => {
  assert.equal(convertUnit(1, 'kg', 'm'), null);
  assert.equal(convertUnit(1, 'stone', 'kg'), null);
  assert.equal(convertUnit(1, 'kg', 'constructor'), null);
  assert.deepEqual(
    [
      isConvertible('kg', 'lb'),
      isConvertible('ppm', 'ppm'),
      isConvertible('ppm', '%'),
      isConvertible('toString', 'kg'),
    ],
    [true, true, false, false],
  );
});
