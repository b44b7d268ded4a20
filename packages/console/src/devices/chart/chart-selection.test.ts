import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShownSensor } from '../facts/sensors.ts';
import {
  addressOfPreset,
  addressOfRange,
  intervalsFor,
  moved,
  PRESETS,
  rangeOf,
  selectedSensors,
  toggled,
  zoomed,
} from './chart-selection.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const HOUR = 3_600_000;

const read = (text: string) => rangeOf(new URLSearchParams(text), NOW);

test('an address without a range shows the last day', () => {
  assert.deepEqual(read(''), { fromMs: NOW - 24 * HOUR, toMs: NOW, preset: '24h' });
  assert.deepEqual(read('range=7d').preset, '7d');
});

test('what cannot be read is the last day', () => {
  for (const text of [
    'from=x&to=y',
    'range=9z',
    'from=2026-11-16T00:00:00Z',
    'from=2026-01-02&to=2026-01-01',
    'from=0001-01-01&to=2026-01-01',
  ]) {
    assert.equal(read(text).preset, '24h', text);
  }
});

test('a range is read as it was written', () => {
  const range = { fromMs: NOW - 5 * HOUR, toMs: NOW - HOUR, preset: null };
  const { from, to } = addressOfRange(range);
  assert.deepEqual(rangeOf(new URLSearchParams({ from, to }), NOW), range);
  assert.deepEqual(addressOfPreset('24h').range, undefined);
});

test('a range moves, but not into the future', () => {
  const day = read('');
  assert.equal(moved(day, -0.5, NOW).toMs, NOW - 12 * HOUR);
  assert.equal(moved(day, 0.5, NOW).toMs, NOW);
});

test('zooming keeps the moment under the cursor in its place', () => {
  const at = NOW - 18 * HOUR;
  const near = zoomed(read(''), 0.5, at, NOW);
  assert.deepEqual([near.fromMs, near.toMs], [NOW - 21 * HOUR, NOW - 9 * HOUR]);
  assert.equal(zoomed(read(''), 2, NOW, NOW).toMs, NOW);
  assert.equal(zoomed(read(''), 0, at, NOW).toMs - zoomed(read(''), 0, at, NOW).fromMs, 600_000);
});

test('the resolution follows the width', () => {
  const first = (preset: keyof typeof PRESETS, width: number) =>
    intervalsFor({ fromMs: NOW - PRESETS[preset], toMs: NOW, preset }, width)[0];
  assert.deepEqual(
    [first('24h', 360), first('7d', 360), first('7d', 1_100), first('30d', 800), first('1y', 800)],
    ['5m', '1h', '5m', '1h', '1d'],
  );
});

const sensors = ['weight', 'level', 'temperature', 'humidity'].map(
  (id): ShownSensor => ({ id, unit: 'x', declaredType: null, reportingIntervalS: null }),
);

const select = (query: string) => selectedSensors(new URLSearchParams(query), sensors);

const ids = (query: string) => select(query).map(({ id }) => id);

const press = (query: string, id: string) =>
  toggled(select(query), sensors.find((one) => one.id === id) ?? assert.fail());

test('without a sensor in the address it is the level', () => {
  assert.deepEqual(ids(''), ['level']);
  assert.deepEqual(selectedSensors(new URLSearchParams(), []), []);
});

test('sensors that do not exist, and those beyond the third, are left out', () => {
  assert.deepEqual(ids('sensor=nothing,weight,weight,__proto__'), ['weight']);
  assert.deepEqual(ids('sensor=weight,level,temperature,humidity'), ['weight', 'level', 'temperature']);
});

test('pressing a sensor shows and hides it, but one always stays', () => {
  assert.equal(press('', 'humidity'), 'level,humidity');
  assert.equal(press('sensor=level,humidity', 'level'), 'humidity');
  assert.equal(press('', 'level'), 'level');
  assert.equal(press('sensor=weight,level,temperature', 'humidity'), 'weight,level,humidity');
});
