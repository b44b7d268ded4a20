import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportedSensors, exportedValue, refuseUnknownNames } from './exports.ts';

const SILO = { profile: 'silo_scale', capacityKg: 2_000, sensorDocument: null } as const;
const ROVER = { profile: 'rover', capacityKg: null, sensorDocument: null } as const;

const CASES = [
  [null, null, 'weight kg,temperature celsius,humidity percent'],
  [null, 'kg', 'weight kg,temperature celsius,humidity percent'],
  [null, 'percent', 'level percent,temperature celsius,humidity percent'],
  [['level'], null, 'level percent'],
  [['level'], 'kg', 'level kg'],
  [['weight'], null, 'weight kg'],
  [['weight'], 'percent', 'weight percent'],
  [['humidity', 'level'], 'kg', 'humidity percent,level kg'],
  [['soil_moisture'], null, ''],
] as const;

for (const [names, unit, expected] of CASES) {
  test(`a silo with the sensors ${names ?? 'not named'} and the unit ${unit}`, () => {
    const sensors = exportedSensors(SILO, { names, unit });
    assert.equal(sensors.map((sensor) => `${sensor.name} ${sensor.unit}`).join(), expected);
  });
}

test('the contents of a silo are converted, and other values have exactly the stored digits', () => {
  const [level] = exportedSensors(SILO, { names: ['level'], unit: null });
  const [weight] = exportedSensors(SILO, { names: ['weight'], unit: null });
  const [latitude] = exportedSensors(ROVER, { names: ['latitude'], unit: 'percent' });
  assert.ok(level && weight && latitude);
  assert.equal(exportedValue(512_400, level), 25.62);
  assert.equal(exportedValue(512_401, weight), 512.401);
  assert.equal(exportedValue(482_000_001, latitude), 48.2000001);
});

test('a name that no device has is refused, one that some have is not', () => {
  const wanted = { names: ['soil_moisture'], unit: null };
  const [silo, rover] = [exportedSensors(SILO, wanted), exportedSensors(ROVER, wanted)];
  assert.throws(() => refuseUnknownNames(wanted, [silo]), { code: 'invalid_input' });
  refuseUnknownNames(wanted, [silo, rover]);
  refuseUnknownNames({ names: null, unit: null }, []);
});
