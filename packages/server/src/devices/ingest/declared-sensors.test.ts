import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFieldCommand } from '@granary/contract/link/field-messages';
import { checkSiloCommand } from '@granary/contract/link/messages';
import { AGGREGATES } from '@granary/contract/telemetry/telemetry';
import { HOUR_MS, MINUTE_MS, SECOND_MS, toIso } from '@granary/contract/time';
import { ScriptedDevice } from '@granary/testing/server/devices/scripted-device';
import { eventually } from '@granary/testing/server/eventually';
import {
  type Api,
  describeEmbeddedLinkService,
  fieldDeviceNamed,
  siloNamed,
} from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const FIELDS = '/v1/fielddevice/devices';
const CO2 = { sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0, min: 0, max: 5_000 };
const cable = (index: number) => ({ sensor_id: `cable-${index}`, type: 'temperature', unit: 'celsius' });

async function startSiloWith(api: Api, deviceId: string, sensors: readonly object[]) {
  const { status, body } = await api.post(SILOS, { ...siloNamed(deviceId), sensors });
  assert.equal(status, 200);
  const { credentials } = body.data;
  const silo = new ScriptedDevice({ api, root: SILOS, credentials, checkCommand: checkSiloCommand });
  await silo.reconnect();
  return silo;
}

describeEmbeddedLinkService('values of declared sensors', (api) => {
  const current = async (path: string) => (await api.get(`${path}/sensors`)).body.data;
  const rejections = async (path: string) => (await api.get(`${path}/rejections`)).body.data;
  const statuses = async (path: string) =>
    (await api.get(path)).body.data.sensors.map(({ status }: { status: string }) => status);
  const historyOf = async (path: string, query: string) =>
    (await api.get(`${path}/sensors/history?${query}`)).body.data.points;

  test('that the device says are not valid are bad, and only these', async () => {
    const silo = await startSiloWith(api, 'invalid', [CO2, cable(1)]);
    const sent = { ts: Date.now() - 9, weight: 500, humidity: 50, sensors: { co2: 400, 'cable-1': 7 } };
    await silo.publish('telemetry', { ...sent, bad: ['cable-1', 'weight'] });
    const { level, humidity, sensors } = await current(silo.path);
    assert.deepEqual(
      [level, humidity, sensors.co2, sensors['cable-1']].map(({ quality }) => quality),
      ['bad', 'good', 'good', 'bad'],
    );
    await silo.publish('telemetry', { ts: Date.now(), weight: 501, bad: ['co2'] });
    assert.equal((await rejections(silo.path)).recent[0].reason, '/bad/0 names no value of this reading');
    assert.equal((await current(silo.path)).level.actual, 500);
    await silo.leave();
  });

  test('are current over MQTT and over HTTP, alone and beside standard ones, one reading or many', async () => {
    const silo = await startSiloWith(api, 'both', [CO2, cable(1)]);
    const { path } = silo;
    await silo.publish('telemetry', { ts: Date.now() - 9, weight: 500, sensors: { co2: 400.4 } });
    assert.deepEqual((await current(path)).sensors.co2.current, 400);
    await silo.publish('telemetry', [
      { ts: Date.now() - 8, sensors: { co2: 401 } },
      { ts: Date.now() - 7, sensors: { 'cable-1': -3.2505 }, humidity: 50 },
    ]);
    assert.deepEqual((await current(path)).sensors['cable-1'].current, -3.25);
    const nowMs = Date.now();
    const ts = toIso(nowMs);
    const one = await api.post(`${path}/telemetry`, { ts, temperature: 20, sensors: { co2: 402 } });
    assert.deepEqual(one.body, { success: true, data: { stored: 1 } });
    const many = await api.post(`${path}/telemetry`, [
      { ts: nowMs - 6, sensors: { co2: 1 } },
      { ts, sensors: { 'cable-1': 7 } },
    ]);
    assert.deepEqual(many.body.data, { stored: 2 });
    const { level, sensors } = await current(path);
    assert.equal(level.actual, 500);
    assert.deepEqual(sensors, {
      co2: { current: 402, unit: 'ppm', timestamp: ts, quality: 'good' },
      'cable-1': { current: 7, unit: 'celsius', timestamp: ts, quality: 'good' },
    });
    assert.deepEqual(await statuses(path), ['active', 'active', 'active', 'active', 'active']);
    assert.equal((await rejections(path)).total, 0);
    await silo.leave();
  });

  for (const profile of ['rover', 'weather_station']) {
    test(`of a ${profile} are below sensors in its environmental readings, with a history`, async () => {
      const sensors = [CO2, cable(1)];
      const device = { ...fieldDeviceNamed(`with-${profile}`), profile, sensors };
      const { credentials } = (await api.post(FIELDS, device)).body.data;
      const checkCommand = checkFieldCommand;
      const scripted = new ScriptedDevice({ api, root: FIELDS, credentials, checkCommand });
      await scripted.reconnect();
      const { path } = scripted;
      const ts = Date.now();
      await scripted.publish('telemetry', { ts, temperature: 20, sensors: { co2: 5_001 } });
      await api.post(`${path}/telemetry`, { ts, humidity: 50, sensors: { 'cable-1': -0.5 } });
      const { data } = (await api.get(`${path}/sensors/environmental`)).body;
      assert.deepEqual([data.temperature, data.humidity], [20, 50]);
      assert.deepEqual(data.sensors, {
        co2: { current: 5_001, unit: 'ppm', timestamp: toIso(ts), quality: 'bad' },
        'cable-1': { current: -0.5, unit: 'celsius', timestamp: toIso(ts), quality: 'good' },
      });
      assert.deepEqual(await statuses(path), ['fault', 'active']);
      assert.equal((await historyOf(path, 'sensor=cable-1'))[0].value, -0.5);
      assert.equal((await historyOf(path, 'sensor=co2&aggregate=bad_count'))[0].value, 1);
      await api.patch(path, { sensors: [] });
      const after = (await api.get(`${path}/sensors/environmental`)).body.data;
      assert.equal(Object.hasOwn(after, 'sensors'), false);
      await scripted.leave();
    });
  }

  test('of an undeclared sensor: MQTT stores the rest and says so, HTTP refuses everything', async () => {
    const silo = await startSiloWith(api, 'undeclared', [CO2]);
    const { path } = silo;
    const sensors = { ghost: 1, co2: 410, constructor: 2 };
    await silo.publish('telemetry', { ts: Date.now(), weight: 321, sensors });
    const stored = await current(path);
    assert.deepEqual([stored.level.actual, stored.sensors.co2.current], [321, 410]);
    assert.deepEqual(Object.keys(stored.sensors), ['co2']);
    const { total, recent } = await rejections(path);
    const reason = '/sensors/ghost and 1 more is not declared; the other values are stored';
    assert.deepEqual([total, recent[0].reason], [1, reason]);
    for (const body of [
      { ts: Date.now(), weight: 999, sensors: { co2: 999, ghost: 1 } },
      [
        { ts: Date.now(), weight: 999 },
        { ts: Date.now() - 1, sensors: { ghost: 1 } },
      ],
    ]) {
      const refused = await api.post(`${path}/telemetry`, body);
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_input']);
      const place = Array.isArray(body) ? '/1/sensors/ghost' : '/sensors/ghost';
      assert.partialDeepStrictEqual(refused.body.error.details, [
        { path: place, message: 'is not a declared sensor of this device' },
      ]);
    }
    assert.deepEqual(await current(path), stored);
    await silo.publish('telemetry', [
      { ts: Date.now() - 2, sensors: { ghost: 1 } },
      { ts: Date.now() - 1, weight: 322, sensors: { ghost: 1, co2: 411 } },
      { ts: Date.now(), weight: 323 },
    ]);
    assert.equal((await current(path)).level.actual, 323);
    assert.equal((await historyOf(path, 'sensor=co2&aggregate=max'))[0].value, 411);
    const again = await rejections(path);
    const partly = `/0/sensors/ghost is not declared; the other values are stored; 2 of 3 readings are rejected in whole or in part`;
    assert.deepEqual([again.total, again.recent[0].reason], [2, partly]);
    await silo.leave();
  });

  test('follow a PATCH with the next message of a connected device', async () => {
    const silo = await startSiloWith(api, 'patched', [CO2]);
    const { path } = silo;
    for (let round = 0; round < 10; round++) {
      await silo.publish('telemetry', { ts: silo.ts(), sensors: { co2: round } });
      assert.equal((await api.patch(path, { sensors: [CO2, cable(round)] })).status, 200);
      await silo.publish('telemetry', { ts: silo.ts(), sensors: { [`cable-${round}`]: round } });
      const { sensors } = await current(path);
      assert.deepEqual([sensors.co2.current, sensors[`cable-${round}`].current], [round, round]);
    }
    assert.equal((await rejections(path)).total, 0);
    await api.patch(path, { sensors: [] });
    await silo.publish('telemetry', { ts: silo.ts(), weight: 111, sensors: { co2: 5 } });
    const after = await current(path);
    assert.deepEqual([after.level.actual, after.level.quality, after.sensors], [111, 'good', undefined]);
    assert.equal((await rejections(path)).total, 1);
    assert.equal((await api.get(path)).body.data.status, 'online');
    await api.patch(path, { sensors: [cable(3), CO2] });
    assert.equal((await historyOf(path, 'sensor=co2&interval=1d&aggregate=count'))[0].value, 10);
    await silo.leave();
  });

  test('have every aggregate and interval, CSV, and bad values apart, however late they come', async () => {
    const silo = await startSiloWith(api, 'historic', [CO2]);
    const { path } = silo;
    const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS;
    const at = (minute: number, co2: number) => ({ ts: startMs + minute * MINUTE_MS, sensors: { co2 } });
    for (const sent of [at(4, 500), at(1, 400), at(2, 5_001), at(1, 999), at(7, 420), at(4, 500)]) {
      await silo.publish('telemetry', sent);
    }
    const range = `sensor=co2&from=${toIso(startMs)}&to=${toIso(startMs + HOUR_MS)}`;
    const expected = { avg: 440, min: 400, max: 500, last: 420, sum: 1_320, count: 3, bad_count: 1 };
    for (const aggregate of AGGREGATES) {
      const points = await historyOf(path, `${range}&aggregate=${aggregate}`);
      assert.deepEqual(points, [{ timestamp: toIso(startMs), value: expected[aggregate] }], aggregate);
    }
    const fine = await historyOf(path, `${range}&interval=5m`);
    assert.deepEqual(
      fine.map(({ value }: { value: number }) => value),
      [450, 420],
    );
    const day = toIso(Math.floor(startMs / (24 * HOUR_MS)) * 24 * HOUR_MS);
    const days = await historyOf(path, `sensor=co2&from=${day}&interval=1d`);
    assert.deepEqual(days, [{ timestamp: day, value: 440 }]);
    const csv = await api.get(`${path}/sensors/history?${range}`, { accept: 'text/csv' });
    assert.equal(csv.text, `timestamp,value\r\n${toIso(startMs)},440\r\n`);
    for (const sensor of ['ghost', 'weight', 'toString', '__proto__', 'CO2', '']) {
      const refused = await api.get(`${path}/sensors/history?sensor=${sensor}`);
      assert.deepEqual([refused.status, refused.body.error.details[0].path], [400, '/sensor'], sensor);
    }
    await silo.leave();
  });

  test('are good, stale or bad by their own range and interval', async () => {
    const slow = { ...cable(1), min: -40, max: 80, reporting_interval_s: 600 };
    const fast = { ...cable(2), reporting_interval_s: 1 };
    const silo = await startSiloWith(api, 'aged', [slow, fast, cable(3), cable(4), cable(5)]);
    const { path } = silo;
    await silo.publish('telemetry', [
      { ts: Date.now() - 60 * SECOND_MS, sensors: { 'cable-1': 1, 'cable-3': 3 } },
      { ts: Date.now() - 10 * SECOND_MS, sensors: { 'cable-2': 2, 'cable-4': 4 } },
    ]);
    const { sensors } = await current(path);
    const qualities = [1, 2, 3, 4, 5].map((index) => sensors[`cable-${index}`].quality);
    assert.deepEqual(qualities, ['good', 'stale', 'stale', 'good', 'bad']);
    assert.deepEqual(sensors['cable-5'], {
      current: null,
      unit: 'celsius',
      timestamp: null,
      quality: 'bad',
    });
    await silo.publish('telemetry', { ts: Date.now(), sensors: { 'cable-1': 80.001 } });
    const bad = (await current(path)).sensors['cable-1'];
    assert.deepEqual([bad.current, bad.quality], [80.001, 'bad']);
    assert.deepEqual((await statuses(path)).slice(3), ['fault', 'stale', 'stale', 'active', 'inactive']);
    const typesOfAlerts = async () =>
      (await api.get(`${path}/alerts`)).body.data.map(({ type }: { type: string }) => type);
    await eventually(async () => (await typesOfAlerts()).includes('sensor_fault'), true);
    await api.patch(path, { sensors: [{ ...slow, max: 100 }] });
    assert.equal((await current(path)).sensors['cable-1'].quality, 'bad', 'it stays as it was stored');
    await silo.publish('telemetry', { ts: Date.now() + 1, sensors: { 'cable-1': 80.001 } });
    assert.equal((await current(path)).sensors['cable-1'].quality, 'good');
    await silo.leave();
  });

  for (const [text, expected] of [
    ['-0', 0],
    ['5e-324', 0],
    ['-5e-324', 0],
    ['0.0004', 0],
    ['0.0005', 0.001],
    ['1e7', 1e7],
    ['-1e7', -1e7],
    ['9007199254740', 9_007_199_254_740],
    ['1e15', null],
    ['1.7976931348623157e308', null],
    ['-1e308', null],
    ['1e309', null],
    ['9007199254740993', null],
  ] as const) {
    test(`the value ${text} is ${expected === null ? 'refused, over MQTT and HTTP' : `stored as ${expected}`}`, async () => {
      const deviceId = `extreme${text.replaceAll(/[^0-9e]/g, '_')}`;
      const silo = await startSiloWith(api, deviceId, [cable(1), cable(2)]);
      const { path } = silo;
      const payload = `{"ts":${Date.now()},"sensors":{"cable-1":${text}}}`;
      await silo.publish('telemetry', payload);
      const value = (await current(path)).sensors['cable-1'];
      assert.equal(value.current, expected);
      assert.equal((await rejections(path)).total, expected === null ? 1 : 0);
      const headers = { ...api.authorization, 'content-type': 'application/json' };
      const body = payload.replace('cable-1', 'cable-2');
      const answer = await api.raw('POST', `${path}/telemetry`, { headers, body });
      assert.equal(answer.status, expected === null ? 400 : 200, answer.text);
      assert.equal((await current(path)).sensors['cable-2'].current, expected);
      await silo.leave();
    });
  }

  test('of 64 sensors come in as many readings as one message may have, and none is lost', async () => {
    const sensors = Array.from({ length: 64 }, (_, index) => cable(index));
    const silo = await startSiloWith(api, 'wide', sensors);
    const { path } = silo;
    const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    const readings = (count: number) =>
      Array.from({ length: count }, (_, second) => ({
        ts: startMs + second * SECOND_MS,
        sensors: Object.fromEntries(
          sensors.map(({ sensor_id }, index) => [sensor_id, index + second / 1_000]),
        ),
      }));
    await silo.publish('telemetry', readings(240));
    const tooLong = await api.post(`${path}/telemetry`, readings(300));
    assert.deepEqual([tooLong.status, tooLong.body.error.code], [400, 'malformed_json']);
    assert.equal((await api.post(`${path}/telemetry`, readings(240))).status, 200);
    for (const index of [0, 31, 63]) {
      const range = `sensor=cable-${index}&from=${toIso(startMs)}&interval=1h`;
      assert.equal((await historyOf(path, `${range}&aggregate=count`))[0].value, 240);
      assert.equal((await historyOf(path, range))[0].value, index + 0.1195);
    }
    await silo.leave();
  });

  test('in messages that nobody should send are rejected, and the connection stays', async () => {
    const silo = await startSiloWith(api, 'hostile', [CO2]);
    const { path } = silo;
    const nowMs = Date.now();
    const names = (count: number, prefix: string) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [prefix + index, 1])));
    const hostile = [
      '{"__proto__":1}',
      '{"__proto__":{"co2":1}}',
      '{"constructor":{"prototype":1}}',
      '[]',
      'null',
      '{}',
      names(10_000, 'k'),
      names(10_000, '_'),
      `{"${'a'.repeat(100_000)}":1}`,
      '{"co2":1,"co2":2}',
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      '{"co2":[1]}',
      '{"co2":true}',
      '{"\\ud800":1}',
    ];
    for (const sensors of hostile) await silo.publish('telemetry', `{"ts":${nowMs},"sensors":${sensors}}`);
    assert.equal((await rejections(path)).total, hostile.length);
    assert.equal((await current(path)).sensors.co2.current, null);
    await silo.publish('telemetry', { ts: nowMs, sensors: { co2: 400 } });
    assert.equal((await current(path)).sensors.co2.current, 400);
    assert.equal(Object.hasOwn(Object.prototype, 'co2'), false);
    await silo.leave();
  });
});
