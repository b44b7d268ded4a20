import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueAgainstThreshold } from './alert-value.ts';

test('a value stands against its threshold, with the unit that both have', () => {
  const level = { type: 'high_level', current_value: 90.512, threshold: 90 } as const;
  assert.equal(valueAgainstThreshold(level, {}, 'en'), '90.5 / 90 %');
  const sensor = { ...level, type: 'sensor_threshold', sensor_id: 'grain-1' } as const;
  const reading = { value: 31, unit: 'celsius', timestamp: '2026-11-16T00:00:00Z', quality: 'good' } as const;
  assert.equal(valueAgainstThreshold(sensor, { 'grain-1': reading }, 'de'), '90,5 / 90 °C');
  assert.equal(valueAgainstThreshold(sensor, undefined, 'en'), '90.5 / 90');
});

test('an alert that is not about a number has none', () => {
  const offline = { type: 'device_offline', current_value: null, threshold: null } as const;
  assert.equal(valueAgainstThreshold(offline, {}, 'en'), null);
});
