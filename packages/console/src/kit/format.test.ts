import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, formatMass, formatValue, utcTime } from './format.ts';

test('a value has its unit and the digits that the unit justifies', () => {
  const texts = [
    formatValue(41.26, 'percent', 'en'),
    formatValue(21.449, 'celsius', 'en'),
    formatValue(21.449, 'celsius', 'de'),
    formatValue(7.2345, 'm/s', 'en'),
    formatValue(1_013.25, 'hPa', 'en'),
    formatValue(-0.7, 'celsius', 'en'),
  ];
  assert.deepEqual(texts, ['41 %', '21.4 °C', '21,4 °C', '7.23 m/s', '1,013 hPa', '−0.7 °C']);
});

test('masses from one tonne on are in tonnes', () => {
  assert.deepEqual(
    [0, 999.4, 1_000, 3_684].map((kg) => formatMass(kg, 'en')),
    ['0 kg', '999 kg', '1.00 t', '3.68 t'],
  );
});

test('a duration is as a person says it', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, '0 s'],
    [8_000, '8 s'],
    [61_000, '1 min'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [4 * 86_400_000, '4 d'],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});

test('the exact time is in UTC', () => {
  assert.equal(utcTime('2026-11-16T05:00:00.250Z'), '2026-11-16 05:00:00.250 UTC');
});
