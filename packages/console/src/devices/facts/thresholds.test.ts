import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { loadTexts } from '@granary/words/languages';
import { isCrossed, nextThreshold, thresholdsOf } from './thresholds.ts';

const { page: texts } = await loadTexts('en');

const at = (value: number, isAbove = false) =>
  ({ key: null, name: String(value), value, severity: 'warning', isAbove }) as const;
const THRESHOLDS = [at(90, true), at(20), at(10)];

const MONITORING = {
  maintenance: { next_scheduled: '2027-01-01T00:00:00Z', interval_hours: 100 },
  reporting: { interval_s: 10, offline_delay_s: 30 },
  alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5 },
};

const SILO: DeviceConfiguration = {
  thresholds: { low_level: 20, high_level: 90, critical_level: 10 },
  operation_limits: { max_feed_rate: 100, max_discharge_rate: 50, rate_unit: 'kg/min' },
  ...MONITORING,
  rules: [
    { sensor_id: 'temperature', above: 30, severity: 'warning' },
    { sensor_id: 'temperature', below: -5, severity: 'info', message: 'Frost' },
  ],
};

test('the level of a silo has the thresholds of its profile', () => {
  assert.deepEqual(
    thresholdsOf(SILO, 'level', texts.devices.thresholds).map(({ value, severity }) => [value, severity]),
    [
      [90, 'warning'],
      [20, 'warning'],
      [10, 'critical'],
    ],
  );
});

test('a critical level above the high one is crossed from below', () => {
  const top = { ...SILO, thresholds: { low_level: 20, high_level: 90, critical_level: 95 } };
  const crossedAt = (level: number) =>
    thresholdsOf(top, 'level', texts.devices.thresholds)
      .filter((one) => isCrossed(one, level))
      .map(({ key }) => key);
  assert.deepEqual(crossedAt(50), []);
  assert.deepEqual(crossedAt(96), ['high_level', 'critical_level']);
});

test('a rule is named by its message, or by its side', () => {
  assert.deepEqual(thresholdsOf(SILO, 'temperature', texts.devices.thresholds), [
    { key: null, name: texts.devices.thresholds.above, value: 30, severity: 'warning', isAbove: true },
    { key: null, name: 'Frost', value: -5, severity: 'info', isAbove: false },
  ]);
});

test('a weather station has only rules', () => {
  assert.deepEqual(thresholdsOf({ ...MONITORING, rules: [] }, 'level', texts.devices.thresholds), []);
});

test('the nearest threshold in the direction of the operation', () => {
  assert.equal(nextThreshold('discharge', 36, THRESHOLDS)?.value, 20);
  assert.equal(nextThreshold('discharge', 15, THRESHOLDS)?.value, 10);
  assert.equal(nextThreshold('feed', 36, THRESHOLDS)?.value, 90);
});

test('beyond the last one there is none', () => {
  assert.equal(nextThreshold('discharge', 5, THRESHOLDS), null);
  assert.equal(nextThreshold('feed', 90, THRESHOLDS), null);
});

test('a threshold is crossed on its side only', () => {
  const crossed = (level: number | undefined) =>
    THRESHOLDS.filter((one) => isCrossed(one, level)).map(({ value }) => value);
  assert.deepEqual(crossed(95), [90]);
  assert.deepEqual(crossed(20), [20]);
  assert.deepEqual(crossed(5), [20, 10]);
  assert.deepEqual(crossed(undefined), []);
});
