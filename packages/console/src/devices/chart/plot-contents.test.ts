import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { en } from '../../texts/en/texts.ts';
import type { TimeRange } from './chart-selection.ts';
import { chartContents } from './plot-contents.ts';

const NOW = Date.parse('2026-11-16T12:02:00Z');
const CONFIGURATION: DeviceConfiguration = {
  maintenance: { next_scheduled: '2027-01-01T00:00:00Z', interval_hours: 100 },
  reporting: { interval_s: 10, offline_delay_s: 30 },
  alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5 },
  rules: [{ sensor_id: 'temperature', above: 30, severity: 'warning' }],
};

const contents = (preset: TimeRange['preset'], quality: 'good' | 'bad' = 'good') =>
  chartContents(
    {
      histories: [
        {
          sensor: { id: 'temperature', unit: 'celsius', declaredType: null, reportingIntervalS: null },
          interval: '5m',
          buckets: ['11:52:30', '11:57:30', '12:02:30'].map((time, index) => ({
            atMs: Date.parse(`2026-11-16T${time}Z`),
            mean: index,
            min: index,
            max: index,
          })),
        },
      ],
      readings: { temperature: { value: 9, unit: 'celsius', timestamp: '2026-11-16T12:01:55Z', quality } },
      marks: { operations: [], alerts: [], notes: [] },
      configuration: CONFIGURATION,
      range: { fromMs: NOW - 3_600_000, toMs: NOW, preset },
      usual: [],
      nowMs: NOW,
    },
    en.devices.thresholds,
  );

const meansOf = (...given: Parameters<typeof contents>) => contents(...given).table.columns[0]?.[0];

test('the newest value ends the line of a range that moves with the time', () => {
  assert.deepEqual(meansOf('24h'), [0, 1, 9]);
  assert.equal(contents('24h').table.times.at(-1), Date.parse('2026-11-16T12:01:55Z') / 1_000);
});

test('a chosen range shows what was measured then', () => {
  assert.deepEqual(meansOf(null), [0, 1, 2]);
});

test('a value that is not plausible is in no line', () => {
  assert.deepEqual(meansOf('24h', 'bad'), [0, 1, 2]);
});

test('thresholds are drawn in the unit of their sensor', () => {
  assert.deepEqual(
    contents('24h').thresholds.map(({ unit, value }) => [unit, value]),
    [['celsius', 30]],
  );
});
