import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '@granary/app/app';
import { declareSensors } from '@granary/core/sensors/declare-sensors';
import { NO_SENSORS, SENSORS_DOCUMENT } from '@granary/core/sensors/declared-sensors';
import {
  DeclaredSensorsCache,
  readDeclaredSensors,
  type SensorsById,
  sensorsById,
} from './declared-sensors.ts';

type StoredDevice = NonNullable<Awaited<ReturnType<App['devices']['find']>>>;

const documentOf = (...ids: string[]): string =>
  SENSORS_DOCUMENT.write(
    declareSensors(
      NO_SENSORS,
      ids.map((sensor_id) => ({ sensor_id, type: 'co2', unit: 'ppm' })),
    ),
  );

const idsOf = (sensors: SensorsById | undefined) => sensors && [...sensors.keys()];

/** Devices whose look-ups are answered when the test says so. */
function heldDevices() {
  const held: ((sensorDocument: string | null) => void)[] = [];
  const find = () =>
    new Promise<StoredDevice>((resolve) => {
      held.push((sensorDocument) => resolve({ sensorDocument } as StoredDevice));
    });
  return { find, answer: (sensorDocument: string | null) => held.shift()?.(sensorDocument) };
}

test('sensors that were looked up are cached until they change', async () => {
  const devices = heldDevices();
  const sensors = new DeclaredSensorsCache(readDeclaredSensors(devices));
  assert.equal(sensors.cached('silo-1'), undefined);
  const found = sensors.lookUp({ deviceId: 'silo-1', deviceNo: 1 });
  devices.answer(documentOf('co2'));
  assert.deepEqual(idsOf(await found), ['co2']);
  assert.deepEqual(idsOf(sensors.cached('silo-1')), ['co2']);
  const event = { sequence: 1, atMs: 1, actor: null, data: {}, facility: 'north' };
  sensors.observe([{ ...event, type: 'device.status_changed', deviceId: 'silo-1' }]);
  sensors.observe([{ ...event, type: 'device.updated', deviceId: 'silo-2' }]);
  assert.deepEqual(idsOf(sensors.cached('silo-1')), ['co2']);
  sensors.observe([{ ...event, type: 'device.updated', deviceId: 'silo-1' }]);
  assert.equal(sensors.cached('silo-1'), undefined);
});

test('sensors that change while they are looked up are not cached', async () => {
  const devices = heldDevices();
  const sensors = new DeclaredSensorsCache(readDeclaredSensors(devices));
  const found = sensors.lookUp({ deviceId: 'silo-1', deviceNo: 1 });
  sensors.drop('silo-1');
  devices.answer(documentOf('co2'));
  assert.deepEqual(idsOf(await found), ['co2']);
  assert.equal(sensors.cached('silo-1'), undefined);
});

test('a device without sensors is cached too, and a device that is unknown has none', async () => {
  const devices = heldDevices();
  const sensors = new DeclaredSensorsCache(readDeclaredSensors(devices));
  const found = sensors.lookUp({ deviceId: 'silo-1', deviceNo: 1 });
  devices.answer(null);
  assert.deepEqual(idsOf(await found), []);
  assert.deepEqual(idsOf(sensors.cached('silo-1')), []);
  const unknown = await new DeclaredSensorsCache(readDeclaredSensors({ find: async () => undefined })).lookUp(
    { deviceId: 'nobody', deviceNo: 1 },
  );
  assert.deepEqual(idsOf(unknown), []);
});

for (const damaged of ['{"sensors":', '{}', '{"v":99,"sensors":[]}', '{"sensors":[{}]}', 'null']) {
  test(`${damaged} is no reason to reject the other values of the device`, () => {
    assert.deepEqual(idsOf(sensorsById(damaged)), []);
  });
}
