import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationRecord } from '@granary/contract/operations';
import type { DeviceConfiguration } from '@granary/contract/profiles/profiles';
import { texts, useLanguage } from '../../texts.ts';
import type { ChartMarks } from './chart-data.ts';
import type { TimeRange } from './chart-selection.ts';
import { chartContents, placedNames } from './plot-contents.ts';

await useLanguage('en');

const NOW = Date.parse('2026-11-16T12:02:00Z');
const CONFIGURATION: DeviceConfiguration = {
  maintenance: { next_scheduled: '2027-01-01T00:00:00Z', interval_hours: 100 },
  reporting: { interval_s: 10, offline_delay_s: 30 },
  alarms: { dead_band: 1, on_delay_s: 0, off_delay_s: 5 },
  rules: [{ sensor_id: 'temperature', above: 30, severity: 'warning' }],
};

const contents = (
  preset: TimeRange['preset'],
  quality: 'good' | 'bad' = 'good',
  operations: ChartMarks['operations'] = [],
  refills: ChartMarks['refills'] = [],
) =>
  chartContents(
    {
      deviceId: 'silo-02',
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
      marks: { operations, alerts: [], notes: [], refills, changes: [] },
      configuration: CONFIGURATION,
      range: { fromMs: NOW - 3_600_000, toMs: NOW, preset },
      usual: [],
      nowMs: NOW,
    },
    texts.value.devices.thresholds,
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

test('an operation is named by what it moved, and only where the range has a part of it', () => {
  const ended = operationFrom('2026-11-16T11:30:00Z', { ended_at: '2026-11-16T11:35:00Z' });
  const underWay = operationFrom('2026-11-16T12:00:00Z', { ended_at: null });
  const before = operationFrom('2026-11-16T10:30:00Z', { ended_at: '2026-11-16T10:35:00Z' });
  assert.deepEqual(
    contents('24h', 'good', [underWay, ended, before]).bars.map(({ names }) => names),
    [
      ['Discharge 500\u00a0kg into Truck 7', 'Discharge 500\u00a0kg', '500\u00a0kg'],
      ['Discharge 120\u00a0kg into Truck 7', 'Discharge 120\u00a0kg', '120\u00a0kg'],
    ],
  );
});

test('a refill that no operation explains is a bar, too', () => {
  const refill = {
    refill_id: 'rf_1',
    device_id: 'silo-02',
    began_at: '2026-11-16T11:40:00Z',
    ended_at: '2026-11-16T11:50:00Z',
    source: 'weight',
    kg: 3_240,
    before_kg: 500,
    after_kg: 3_740,
    operation_id: null,
    delivery_note_kg: null,
    product: null,
    is_refill: true,
    changed_at: null,
    changed_by: null,
  } as const;
  assert.deepEqual(contents('24h', 'good', [], [refill]).bars, [
    { fromMs: NOW - 22 * 60_000, toMs: NOW - 12 * 60_000, names: ['Refill 3.24\u00a0t'] },
  ]);
});

const operationFrom = (started_at: string, changed: Pick<OperationRecord, 'ended_at'>): OperationRecord => ({
  operation_id: 'op_1',
  type: 'discharge',
  status: 'in_progress',
  status_detail: '',
  status_code: 'operation_acknowledged',
  status_values: {},
  origin: 'service',
  progress: 24,
  amount_target: 500,
  amount_completed: 120,
  measured_amount: null,
  unit: 'kg',
  rate: 100,
  rate_unit: 'kg/min',
  target_container: 'Truck 7',
  started_at,
  estimated_completion: null,
  stop_requested_at: null,
  failure: null,
  declared: null,
  requested_by: null,
  stopped_by: null,
  ...changed,
});

test('a name stands at its bar in the longest form that ends before the next bar, and within the right edge', () => {
  const place = (...starts: readonly number[]) =>
    placedNames(
      starts.map((leftPx) => ({ leftPx, names: ['Feed 20\u00a0kg', '20\u00a0kg', ''] })),
      200,
      4,
      (text) => text.length * 6,
    ).map(({ text, leftPx }) => [leftPx, text]);
  assert.deepEqual(place(100, 0), [
    [0, 'Feed 20\u00a0kg'],
    [100, 'Feed 20\u00a0kg'],
  ]);
  assert.deepEqual(place(0, 40, 60), [
    [0, '20\u00a0kg'],
    [60, 'Feed 20\u00a0kg'],
  ]);
  assert.deepEqual(place(190), [[140, 'Feed 20\u00a0kg']]);
  assert.deepEqual(place(90, 92, 94), [[94, 'Feed 20\u00a0kg']], 'the last of those that stand together');
  assert.deepEqual(place(100, 190), [
    [100, 'Feed 20\u00a0kg'],
    [170, '20\u00a0kg'],
  ]);
});
