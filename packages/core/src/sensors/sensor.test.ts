import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSiloRegistration } from '@granary/contract/devices/devices';
import { declareSensors } from './declare-sensors.ts';
import { NO_SENSORS, SENSORS_DOCUMENT, sensorsInUse, sensorsOf } from './declared-sensors.ts';
import { type LatestValues, latestOf, latestValues } from './sensor.ts';

/** Names that every object inherits. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'];

const documentOf = (...ids: string[]): string => {
  const declarations = ids.map((sensor_id) => ({ sensor_id, type: 'co2', unit: 'ppm' }));
  return SENSORS_DOCUMENT.write(declareSensors(NO_SENSORS, declarations));
};

test('a sensor with the name of something that every object has is without a value until it reports', () => {
  const sensors = sensorsInUse(documentOf(...INHERITED));
  const [first, second] = sensors;
  assert.ok(first !== undefined && second !== undefined);
  const latest = latestValues(sensors, [{ group: 100, values: [undefined, { value: 5, tsMs: 1 }] }]);
  assert.equal(latestOf(latest, first), undefined);
  assert.deepEqual(latestOf(latest, second), { value: 5, tsMs: 1 });
  assert.deepEqual(Object.keys(latest), ['toString']);
  for (const sensor of sensors) assert.equal(latestOf({} as LatestValues, sensor), undefined);
});

test('values of a lane that belongs to a removed sensor, or to none, are left out', () => {
  const before = declareSensors(NO_SENSORS, [
    { sensor_id: 'one', type: 'co2', unit: 'ppm' },
    { sensor_id: 'two', type: 'co2', unit: 'ppm' },
  ]);
  const after = declareSensors(before, [{ sensor_id: 'two', type: 'co2', unit: 'ppm' }]);
  const values = [1, 2, 3].map((value) => ({ value, tsMs: 1 }));
  const sensors = sensorsOf('silo_scale', SENSORS_DOCUMENT.write(after));
  const stored = [
    { group: 100, values },
    { group: 101, values },
  ];
  assert.deepEqual(latestValues(sensors, stored), { two: { value: 2, tsMs: 1 } });
});

const registration = (sensorId: string) => ({
  device_id: 'silo-1',
  name: 'Silo',
  model: 'GS-100',
  location: { facility: 'north', zone: 'a' },
  capacity: { max: 1_000, unit: 'kg' },
  sensors: [{ sensor_id: sensorId, type: 'co2', unit: 'ppm' }],
});

const ALLOWED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

for (const sensorId of [ALLOWED, '0', 'z', '1_-', ...INHERITED, '007', '1e5']) {
  test(`${sensorId} is an id of a sensor`, () => {
    assert.equal(checkSiloRegistration.accepts(registration(sensorId)), true);
  });
}

for (const sensorId of [
  '__proto__',
  '_x',
  '-x',
  '',
  ' ',
  'a b',
  'a/b',
  'a.b',
  'a~b',
  'a+b',
  'a#',
  'ä',
  '温',
  '🚜',
  `${ALLOWED}x`,
  'a\n',
  'a\u0000',
  '\ud800',
]) {
  test(`${JSON.stringify(sensorId)} is not an id of a sensor`, () => {
    assert.equal(checkSiloRegistration.accepts(registration(sensorId)), false);
  });
}
