import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, describeService, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const FIELDS = '/v1/fielddevice/devices';

const CO2 = { sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0, min: 0, max: 10_000 };
const PH = { sensor_id: 'ph', type: 'ph', unit: 'pH', min: 0, max: 14, reporting_interval_s: 3_600 };
const cables = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    return { sensor_id: `cable-${index}`, type: 'temperature', unit: 'celsius' };
  });

const shown = (sensor: typeof CO2, status = 'inactive') => ({
  type: sensor.type,
  sensor_id: sensor.sensor_id,
  status,
  unit: sensor.unit,
  precision: sensor.precision,
  min: sensor.min,
  max: sensor.max,
  reporting_interval_s: null,
});

const idsIn = (detail: { sensors?: { sensor_id: string }[] }): string[] =>
  (detail.sensors ?? []).map(({ sensor_id }) => sensor_id);

/** One device of every profile. */
async function registerAll(api: Api, name: string, more: object = {}) {
  const devices = [
    { path: `${SILOS}/silo-${name}`, body: siloNamed(`silo-${name}`), standard: 3 },
    { path: `${FIELDS}/rover-${name}`, body: fieldDeviceNamed(`rover-${name}`), standard: 0 },
    {
      path: `${FIELDS}/weather-${name}`,
      body: { ...fieldDeviceNamed(`weather-${name}`), profile: 'weather_station' },
      standard: 0,
    },
  ];
  for (const { path, body } of devices) {
    const root = path.slice(0, path.lastIndexOf('/'));
    assert.equal((await api.post(root, { ...body, ...more })).status, 200);
  }
  return devices;
}

describeService('declaring sensors', (api) => {
  test('at registration: they follow those of the profile, with every default', async () => {
    for (const { path, standard } of await registerAll(api, 'a', { sensors: [CO2, PH] })) {
      const { data } = (await api.get(path)).body;
      assert.deepEqual(data.sensors.slice(standard), [
        shown(CO2),
        {
          type: 'ph',
          sensor_id: 'ph',
          status: 'inactive',
          unit: 'pH',
          precision: 3,
          min: 0,
          max: 14,
          reporting_interval_s: 3_600,
        },
      ]);
    }
    const registered = await api.post(SILOS, { ...siloNamed('same-answer'), sensors: cables(1) });
    const { credentials: _credentials, ...detail } = registered.body.data;
    assert.deepEqual(detail, (await api.get(`${SILOS}/same-answer`)).body.data);
    const { min, max, precision } = detail.sensors[3];
    assert.deepEqual([min, max, precision], [-1e7, 1e7, 3]);
  });

  test('by PATCH: the list is replaced, and everything else stays', async () => {
    for (const { path, standard } of await registerAll(api, 'b')) {
      const before = (await api.get(path)).body.data;
      const patched = await api.patch(path, { sensors: [CO2] });
      assert.equal(patched.status, 200);
      assert.deepEqual(patched.body.data, {
        ...before,
        sensors: [...(before.sensors ?? []), shown(CO2)],
      });
      assert.deepEqual((await api.get(path)).body, patched.body);
      const replaced = (await api.patch(path, { sensors: cables(2) })).body.data;
      assert.deepEqual(idsIn(replaced).slice(standard), ['cable-0', 'cable-1']);
      assert.deepEqual((await api.patch(path, {})).body.data, replaced);
      assert.deepEqual((await api.patch(path, { sensors: [] })).body.data, before);
    }
  });

  test('64 sensors fit, 65 do not, at registration and by PATCH', async () => {
    const many = await api.post(SILOS, { ...siloNamed('many'), sensors: cables(64) });
    assert.deepEqual([many.status, many.body.data.sensors.length], [200, 67]);
    const path = `${SILOS}/many`;
    for (const refused of [
      await api.post(SILOS, { ...siloNamed('too-many'), sensors: cables(65) }),
      await api.patch(path, { sensors: cables(65) }),
    ]) {
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_input']);
      assert.partialDeepStrictEqual(refused.body.error.details, [
        { path: '/sensors', message: 'must have at most 64 items, not 65' },
      ]);
    }
    assert.equal((await api.get(`${SILOS}/too-many`)).status, 404);
    assert.deepEqual((await api.get(path)).body.data.sensors, many.body.data.sensors);
  });

  const [cable] = cables(1);
  for (const [status, code, sensor, path] of [
    [400, 'invalid_input', { ...CO2, precision: 7 }, '/sensors/0/precision'],
    [400, 'invalid_input', { ...CO2, precision: 1.5 }, '/sensors/0/precision'],
    [400, 'invalid_input', { ...CO2, min: 10_000 }, '/sensors/0/max'],
    [400, 'invalid_input', { ...CO2, max: 1e11 }, '/sensors/0/max'],
    [400, 'invalid_input', { ...CO2, unit: '' }, '/sensors/0/unit'],
    [400, 'invalid_input', { ...CO2, unit: 'a\nb' }, '/sensors/0/unit'],
    [400, 'invalid_input', { ...CO2, unit: 'x'.repeat(33) }, '/sensors/0/unit'],
    [400, 'invalid_input', { ...CO2, type: 'CO2' }, '/sensors/0/type'],
    [400, 'invalid_input', { ...CO2, sensor_id: 'a b' }, '/sensors/0/sensor_id'],
    [400, 'invalid_input', { ...CO2, sensor_id: '__proto__' }, '/sensors/0/sensor_id'],
    [400, 'invalid_input', { ...CO2, reporting_interval_s: 0 }, '/sensors/0/reporting_interval_s'],
    [400, 'invalid_input', { ...CO2, reporting_interval_s: 604_801 }, '/sensors/0/reporting_interval_s'],
    [400, 'invalid_input', { ...CO2, colour: 'green' }, '/sensors/0/colour'],
    [400, 'invalid_input', { sensor_id: 'co2' }, '/sensors/0/type'],
    [409, 'sensor_conflict', { ...CO2, sensor_id: 'weight' }, '/sensors/0/sensor_id'],
    [409, 'sensor_conflict', { ...CO2, sensor_id: 'rainfall' }, '/sensors/0/sensor_id'],
    [409, 'sensor_conflict', { ...CO2, sensor_id: 'level' }, '/sensors/0/sensor_id'],
    [409, 'sensor_conflict', { ...cable, unit: 'kelvin' }, '/sensors/0/unit'],
    [409, 'sensor_conflict', { ...cable, type: 'humidity' }, '/sensors/0/type'],
    [409, 'sensor_conflict', { ...cable, precision: 2 }, '/sensors/0/precision'],
  ] as const) {
    test(`${JSON.stringify(sensor).slice(0, 90)} is refused with ${status} and changes nothing`, async () => {
      await api.post(SILOS, { ...siloNamed('strict'), sensors: cables(1) });
      const before = (await api.get(`${SILOS}/strict`)).body;
      const refused = await api.patch(`${SILOS}/strict`, { sensors: [sensor, PH] });
      assert.deepEqual([refused.status, refused.body.error.code], [status, code], refused.text);
      assert.equal(refused.body.error.details[0].path, path);
      assert.deepEqual((await api.get(`${SILOS}/strict`)).body, before);
    });
  }

  test('ids may have every allowed character, and units any text', async () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';
    const path = `${SILOS}/letters`;
    await api.post(SILOS, siloNamed('letters'));
    const sensors = [
      { ...CO2, sensor_id: letters, unit: 'µg/m³ 🚜' },
      { ...CO2, sensor_id: 'constructor', unit: '温度' },
    ];
    assert.equal((await api.patch(path, { sensors })).status, 200);
    const ts = new Date().toISOString();
    const values = { [letters]: 1, constructor: 2 };
    assert.equal((await api.post(`${path}/telemetry`, { ts, sensors: values })).status, 200);
    const { data } = (await api.get(`${path}/sensors`)).body;
    assert.deepEqual(data.sensors, {
      [letters]: { current: 1, unit: 'µg/m³ 🚜', timestamp: ts, quality: 'good' },
      constructor: { current: 2, unit: '温度', timestamp: ts, quality: 'good' },
    });
    for (const [id, value] of Object.entries(values)) {
      const history = await api.get(`${path}/sensors/history?sensor=${id}&interval=5m`);
      assert.deepEqual([history.body.data.sensor, history.body.data.points[0].value], [id, value]);
    }
  });

  test('needs the scope admin and access to the device', async () => {
    const [silo] = await registerAll(api, 'guarded');
    assert.ok(silo !== undefined);
    for (const [scopes, more, status] of [
      [['read', 'operate', 'ingest', 'configure'], {}, 403],
      [['admin'], { device_ids: ['another'] }, 404],
      [['admin'], { facilities: ['south'] }, 404],
      [['admin'], { device_ids: ['silo-guarded'] }, 200],
    ] as const) {
      const issued = await api.post('/v1/keys', { name: 'k', scopes, ...more });
      assert.equal(issued.status, 200, issued.text);
      const answer = await api.as(issued.body.data.key).patch(silo.path, { sensors: [CO2] });
      assert.equal(answer.status, status, answer.text);
    }
    assert.equal((await api.patch(`${SILOS}/nobody`, { sensors: [] })).status, 404);
    const astray = await api.patch(`${FIELDS}/silo-guarded`, { sensors: [] });
    assert.deepEqual([astray.status, astray.body.error.code], [404, 'device_not_found']);
  });

  test('a registration with sensors is repeated with the same answer', async () => {
    const body = { ...siloNamed('repeated'), sensors: [CO2] };
    const key = { 'idempotency-key': 'repeated' };
    const first = await api.post(SILOS, body, key);
    await api.patch(`${SILOS}/repeated`, { sensors: cables(1) });
    const again = await api.post(SILOS, body, key);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(idsIn((await api.get(`${SILOS}/repeated`)).body.data).slice(3), ['cable-0']);
  });

  test('eight lists at once: each is whole, and the last one stays', async () => {
    const path = `${SILOS}/contended`;
    await api.post(SILOS, siloNamed('contended'));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        api.patch(path, { sensors: [0, 1].map((m) => ({ ...CO2, sensor_id: `n${n}_${m}` })) }),
      ),
    );
    const lists = answers.map(({ body }) => idsIn(body.data).slice(3).join());
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    const last = idsIn((await api.get(path)).body.data)
      .slice(3)
      .join();
    assert.ok(lists.includes(last), last);
  });
});
