import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, formatMass, formatQuantity, formatValue, utcTime } from './format.ts';

test('a value has its unit and the digits that the unit justifies', () => {
  const texts = [
    formatValue(41.26, 'percent', 'en'),
    formatValue(21.449, 'celsius', 'en'),
    formatValue(21.449, 'celsius', 'de'),
    formatValue(7.2345, 'm/s', 'en'),
    formatValue(1_013.25, 'hPa', 'en'),
    formatValue(-0.7, 'celsius', 'en'),
  ];
  assert.deepEqual(texts, [
    '41\u00a0%',
    '21.4\u00a0°C',
    '21,4\u00a0°C',
    '7.23\u00a0m/s',
    '1,013\u00a0hPa',
    '−0.7\u00a0°C',
  ]);
});

test('what rounds to zero has no sign', () => {
  assert.equal(formatQuantity(-0.0004, 't', 'de'), '0\u00a0t');
  assert.equal(formatValue(-0.04, 'celsius', 'en'), '0.0\u00a0°C');
});

test('masses from one tonne on are in tonnes', () => {
  assert.deepEqual(
    [0, 999.4, 1_000, 3_684].map((kg) => formatMass(kg, 'en')),
    ['0\u00a0kg', '999\u00a0kg', '1.00\u00a0t', '3.68\u00a0t'],
  );
});

test('a duration is as a person says it', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, '0\u00a0s'],
    [8_000, '8\u00a0s'],
    [61_000, '1\u00a0min'],
    [3_600_000, '1\u00a0h'],
    [7_500_000, '2\u00a0h 5\u00a0min'],
    [4 * 86_400_000, '4\u00a0d'],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});

test('the exact time is in UTC', () => {
  assert.equal(utcTime('2026-11-16T05:00:00.250Z'), '2026-11-16 05:00:00.250 UTC');
});
