import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cablesOf, sensorsOf } from './sensors.ts';

const declared = (sensor_id: string, type = 'temperature', unit = 'celsius') => ({
  sensor_id,
  type,
  unit,
  status: 'active',
  precision: 1,
  min: -40,
  max: 120,
  reporting_interval_s: null,
});

test('a silo has its level, the sensors of its profile and the declared ones', () => {
  const standard = [{ type: 'level', sensor_id: 'silo-1-level', status: 'active' }];
  assert.deepEqual(
    sensorsOf('silo_scale', [...standard, declared('co2', 'co2', 'ppm')]).map(
      ({ id, unit }) => `${id} ${unit}`,
    ),
    ['level percent', 'weight kg', 'temperature celsius', 'humidity percent', 'co2 ppm'],
  );
});

test('numbered sensors of one type are a cable, ordered by number', () => {
  const sensors = sensorsOf(
    'weather_station',
    [10, 2, 1].map((number) => declared(`temp_${number}`)),
  );
  const { cables, single } = cablesOf(sensors);
  assert.deepEqual(
    cables.map(({ prefix, sensors: members }) => [prefix, ...members.map(({ id }) => id)]),
    [['temp', 'temp_1', 'temp_2', 'temp_10']],
  );
  assert.equal(single.length, sensors.length - 3);
});

test('numbers alone make no cable', () => {
  const others = [declared('co2-1', 'co2', 'ppm'), declared('co2-2', 'co2', 'ppm'), declared('co2-3')];
  assert.deepEqual(cablesOf(sensorsOf('silo_scale', others)).cables, []);
});
