import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  BRIDGE_REQUESTS_MAX,
  BRIDGES_MAX,
  type BridgeRequest,
  REPORTED_DEVICES_MAX,
} from '@granary/contract/bridges';
import { eventually } from '@granary/testing/server/eventually';
import { bridgedDevice, ScriptedBridge } from '@granary/testing/server/scripted-bridge';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

const SCALE = { mapping: 'modbus-example', endpoint: 'tcp://10.0.4.20:502', unit: 3 };
const POINT = {
  point: 'weight',
  sensor: 'weight',
  raw: '0x0000 0x3039',
  value: 12_345,
  unit: 'kg',
  quality: 'good',
  reason: null,
} as const;

describeService('bridges', (api) => {
  let ingest: Api;
  let ingestKeyId = '';
  /** Gives a bridge its key; a bridge whose reports come with several keys needs this. */
  const give = (name: string) => api.put(`/v1/bridges/${name}/key`, { key_id: ingestKeyId });
  const bridgeNamed = async (name: string, session?: string) => {
    assert.equal((await give(name)).status, 200);
    return new ScriptedBridge(ingest, name, session);
  };
  const keyWith = async (body: object) =>
    api.as((await api.post('/v1/keys', { name: 'k', ...body })).body.data.key);

  before(async () => {
    const { key, key_id } = (await api.post('/v1/keys', { name: 'bridges', scopes: ['ingest'] })).body.data;
    ingest = api.as(key);
    ingestKeyId = key_id;
    for (const id of ['silo-b1', 'silo-b2']) await api.post('/v1/siloscale/devices', siloNamed(id));
  });

  test('are known by their reports, device by device, until a new session begins', async () => {
    const bridge = await bridgeNamed('north');
    assert.equal((await api.get(bridge.path)).body.error.code, 'bridge_not_found');
    const first = await bridge.report({ devices: [bridgedDevice('silo-b1'), bridgedDevice('silo-b2')] });
    assert.deepEqual([first.body.data.known, first.body.data.requests], [false, []]);
    const silent = bridgedDevice('silo-b2', { state: 'silent' });
    assert.equal((await bridge.report({ devices: [silent] })).body.data.known, true);
    const listed = (await api.get('/v1/bridges')).body.data;
    assert.deepEqual(listed[0].devices, {
      total: 2,
      answering: 1,
      silent: 1,
      waiting: 0,
      unit_differs: 0,
    });
    assert.equal(listed[0].status, 'connected');
    await bridge.report({ gone: ['silo-b1'] });
    const { devices } = (await api.get(bridge.path)).body.data;
    assert.deepEqual(
      devices.map((device: { device_id: string }) => device.device_id),
      ['silo-b2'],
    );
    assert.equal((await (await bridgeNamed('north', 'session-2')).report()).body.data.known, false);
    assert.deepEqual((await api.get(bridge.path)).body.data.devices, []);
  });

  test('learn the units of the declared sensors of devices that their key may access', async () => {
    const sensors = [{ sensor_id: 'cable1_1', type: 'temperature', unit: 'celsius' }];
    await api.post('/v1/siloscale/devices', { ...siloNamed('silo-b3'), sensors });
    const bridge = await bridgeNamed('units');
    const units_of = ['silo-b1', 'silo-b3', 'silo-none'];
    const { units } = (await bridge.report({ units_of })).body.data;
    assert.deepEqual(units, { 'silo-b1': {}, 'silo-b3': { cable1_1: 'celsius' } });
    const limited = await keyWith({ scopes: ['ingest'], device_ids: ['silo-b1'] });
    const fewer = (await new ScriptedBridge(limited, 'fewer-units').report({ units_of })).body.data;
    assert.deepEqual(Object.keys(fewer.units), ['silo-b1']);
    assert.deepEqual((await bridge.report()).body.data.units, {});
    const at = '2026-11-18T04:00:00Z';
    const last_failure = { code: 'unit_differs', detail: 'cable1_1', at, points: ['cable1_1'] };
    await bridge.report({ devices: [bridgedDevice('silo-b3', { last_failure })] });
    const listed = (await api.get('/v1/bridges')).body.data;
    const own = listed.find(({ bridge_id }: { bridge_id: string }) => bridge_id === 'units');
    assert.equal(own.devices.unit_differs, 1);
  });

  test('read a device on demand and answer what each point said', async () => {
    const bridge = await bridgeNamed('tester');
    await bridge.report({ devices: [bridgedDevice('silo-b1')] });
    const asked: BridgeRequest[] = [];
    bridge.answer((request) => {
      asked.push(request);
      return request.unit === 3
        ? { failure: null, round_trip_ms: 4, points: [POINT] }
        : { failure: { code: 'timeout', detail: 'no answer within 500 ms' } };
    });
    const read = await api.post(`${bridge.path}/tests`, SCALE);
    assert.deepEqual(read.body.data, { failure: null, round_trip_ms: 4, points: [POINT] });
    const failed = await api.post(`${bridge.path}/tests`, { device_id: 'silo-b1' });
    assert.deepEqual(failed.body.data.failure, { code: 'timeout', detail: 'no answer within 500 ms' });
    assert.deepEqual(
      asked.map(({ kind, device_id, endpoint, secret }) => [kind, device_id, endpoint, secret]),
      [
        ['test', null, SCALE.endpoint, undefined],
        ['test', 'silo-b1', null, undefined],
      ],
    );
    await bridge.stop();
  });

  test('get a new secret for each device that is added, and nobody else does', async () => {
    const bridge = await bridgeNamed('adder');
    await bridge.report();
    let secret = '';
    bridge.answer((request) => {
      secret = request.secret ?? '';
      if (request.kind === 'remove') return { failure: null };
      return request.unit === 3
        ? { failure: null }
        : { failure: { code: 'site', detail: 'line 4: silo-b1 is there twice' } };
    });
    const added = await api.post(`${bridge.path}/devices`, { device_id: 'silo-b1', ...SCALE });
    assert.equal(added.status, 200, added.text);
    assert.ok(secret.length > 20);
    assert.equal(added.text.includes(secret), false);
    const refused = await api.post(`${bridge.path}/devices`, { device_id: 'silo-b1', ...SCALE, unit: 4 });
    assert.deepEqual(
      [refused.body.error.code, refused.body.error.message],
      ['bridge_refused', 'line 4: silo-b1 is there twice'],
    );
    const log = (await api.get('/v1/audit?action=bridges.addDevice')).body.data;
    const results = log.map(({ result }: { result: string }) => result).toSorted();
    assert.deepEqual(results, ['done', 'done', 'refused']);
    assert.equal(JSON.stringify(log).includes(secret), false);
    assert.equal((await api.delete(`${bridge.path}/devices/silo-b1`)).body.error.code, 'device_not_found');
    await bridge.report({ devices: [bridgedDevice('silo-b1')] });
    assert.equal((await api.delete(`${bridge.path}/devices/silo-b1`)).status, 200);
    await bridge.stop();
  });

  test('that do not answer are named, and what was asked is not asked later', async () => {
    const bridge = await bridgeNamed('quiet');
    await bridge.report();
    const asked = Array.from({ length: BRIDGE_REQUESTS_MAX + 1 }, () =>
      api.post(`${bridge.path}/tests`, { ...SCALE, wait_s: 1 }),
    );
    const codes = (await Promise.all(asked)).map(({ body }) => body.error.code).toSorted();
    assert.deepEqual(codes.slice(0, 2), ['bridge_limit_reached', 'bridge_not_answering']);
    assert.equal(new Set(codes.slice(1)).size, 1);
    assert.deepEqual((await bridge.report()).body.data.requests, []);
  });

  test('show and test only what the key may access', async () => {
    const bridge = await bridgeNamed('limited');
    await bridge.report({ devices: [bridgedDevice('silo-b1'), bridgedDevice('silo-b2')] });
    const limited = await keyWith({ scopes: ['read', 'configure'], device_ids: ['silo-b2'] });
    const { devices } = (await limited.get(bridge.path)).body.data;
    assert.deepEqual(
      devices.map((device: { device_id: string }) => device.device_id),
      ['silo-b2'],
    );
    const test = async (body: object) => (await limited.post(`${bridge.path}/tests`, body)).body.error.code;
    assert.equal(await test({ device_id: 'silo-b1' }), 'device_not_found');
    assert.equal(await test(SCALE), 'forbidden');
    for (const path of [bridge.path, `${bridge.path}/devices/silo-b2`])
      assert.equal((await limited.delete(path)).body.error.code, 'forbidden');
    const reader = await keyWith({ scopes: ['read'] });
    assert.equal((await new ScriptedBridge(reader, 'x').report()).status, 403);
    assert.equal((await ingest.get('/v1/bridges')).status, 403);
  });

  test('refuse what is no report, and are limited in number', async () => {
    const bridge = await bridgeNamed('hostile');
    const many = Array.from({ length: REPORTED_DEVICES_MAX + 1 }, (_, n) => bridgedDevice(`d${n}`));
    for (const more of [
      { devices: many },
      { session: '../..' },
      { wait_s: 21 },
      { devices: [bridgedDevice('silo-b1', { endpoint: 'javascript:alert(1)' })] },
      { devices: [{ ...bridgedDevice('silo-b1'), device_id: '__proto__/x' }] },
      { journal: { ...JOURNAL, readings: -1 } },
      { journal: { ...JOURNAL, fault: 'x'.repeat(501) } },
    ]) {
      assert.equal((await bridge.report(more)).status, 400, JSON.stringify(more).slice(0, 80));
    }
    assert.equal((await api.get(bridge.path)).status, 404);
    const names = Array.from({ length: BRIDGES_MAX }, (_, n) => `many-${n}`);
    const given = await Promise.all(names.map(give));
    const codes = given.filter(({ status }) => status !== 200).map(({ body }) => body.error.code);
    assert.deepEqual([...new Set(codes)], ['bridge_limit_reached']);
    assert.equal((await bridge.report()).status, 200);
    const refused = await new ScriptedBridge(api, 'one-more').report();
    assert.equal(refused.body.error.code, 'bridge_limit_reached');
    const made = names.filter((_, at) => given[at]?.status === 200);
    await Promise.all(made.map((name) => new ScriptedBridge(ingest, name).report()));
    assert.equal((await api.get('/v1/bridges')).body.data.length, BRIDGES_MAX);
    await Promise.all(made.map((name) => api.delete(`/v1/bridges/${name}`)));
    assert.equal((await api.get('/v1/bridges')).body.data.length < 10, true);
  });

  test('let their report wait until there is something to do', async () => {
    const bridge = await bridgeNamed('waiter');
    await bridge.report();
    const waiting = bridge.report({ wait_s: 20 });
    const asked = api.post(`${bridge.path}/tests`, SCALE);
    const { requests } = (await waiting).body.data;
    const [{ request_id }] = requests;
    assert.deepEqual((await bridge.report({ working: [request_id] })).body.data.requests, []);
    await bridge.report({ results: [{ request_id, failure: null, points: [POINT] }] });
    assert.deepEqual((await asked).body.data.points, [POINT]);
    await eventually(async () => (await bridge.report()).body.data.requests.length, 0);
  });
});

const JOURNAL = { readings: 0, bytes: 0, oldest_at: null, dropped: 0, fault: null, gaps: [] };
