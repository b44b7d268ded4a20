import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShownSensor } from '../sensors.ts';
import { selectedSensors, toggled } from './selected-sensors.ts';

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
