import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { point, ScriptedDrivers } from '@granary/testing/bridge/scripted-driver';
import { FaultyProxy } from '@granary/testing/client/faulty-proxy';
import { eventually } from '@granary/testing/server/eventually';
import { localService } from '@granary/testing/server/local-service';
import { siloNamed } from '@granary/testing/server/service';
import { Bridge, type BridgeOptions, SiteError } from './bridge.ts';
import { writeSecrets } from './site/secrets.ts';

const SILOS = '/v1/siloscale/devices';

describe('a bridge', () => {
  const service = localService();
  const { api } = service;
  const undos: (() => unknown)[] = [];
  const said: string[] = [];
  let folder = '';
  let sites = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'granary-test-'));
  });
  after(async () => {
    for (const undo of undos.reverse()) await undo();
    await rm(folder, { recursive: true, force: true });
  });

  const siteText = (bridgeId: string, url: string, mqtt: string, devices: readonly string[]) =>
    [
      `bridge: {id: ${bridgeId}, service: {url: ${url}, mqtt: ${mqtt}}} # our bridge`,
      'devices:',
      ...devices.map((id, n) => `  - {id: ${id}, mapping: ascii-weight, endpoint: "tcp://10.0.0.${n}:4001"}`),
      '',
    ].join('\n');

  /** Registers devices and starts a bridge with them. */
  async function start(
    devices: readonly string[],
    mqtt = service.current().mqttUrl,
    more: Partial<BridgeOptions> = {},
    url = service.current().httpUrl,
  ) {
    const bridgeId = `bridge-${++sites}`;
    const siteFile = join(folder, `${bridgeId}.yaml`);
    const secrets: Record<string, string> = {};
    for (const id of devices) {
      const { status, body } = await api.post(SILOS, {
        ...siloNamed(id),
        sensors: [{ sensor_id: 'cable1_1', type: 'temperature', unit: 'celsius' }],
      });
      assert.equal(status, 200);
      secrets[id] = body.data.credentials.secret;
    }
    await writeFile(siteFile, siteText(bridgeId, url, mqtt, devices));
    const { key } = (await api.post('/v1/keys', { name: bridgeId, scopes: ['ingest'] })).body.data;
    await writeSecrets(join(folder, `${bridgeId}.data`, 'secrets.json'), { key, devices: secrets });
    const drivers = new ScriptedDrivers();
    const options = {
      siteFile,
      version: '0',
      serviceUrl: null,
      mqttUrl: null,
      drivers,
      log: (_: string, message: string) => said.push(message),
      ...more,
    };
    const bridge = new Bridge(options);
    await bridge.start();
    undos.push(() => bridge.stop());
    return { bridge, drivers, siteFile, bridgeId, options };
  }

  const current = async (id: string) => (await api.get(`${SILOS}/${id}/sensors`)).body.data;
  const statusOf = async (id: string) => (await api.get(`${SILOS}/${id}`)).body.data.status;
  const countOf = async (id: string) => {
    const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const query = `sensor=level&aggregate=count&interval=1h&from=${from}`;
    const { points } = (await api.get(`${SILOS}/${id}/sensors/history?${query}`)).body.data;
    return points.reduce((sum: number, one: { value: number }) => sum + one.value, 0);
  };
  const reportOf = async (bridgeId: string) => (await api.get(`/v1/bridges/${bridgeId}`)).body.data;

  test('makes an ordinary device of each: present while it answers, with the quality that it says', async () => {
    const { drivers, bridgeId } = await start(['scale-1']);
    assert.equal(await statusOf('scale-1'), 'offline');
    const ts = Date.now();
    drivers.say('scale-1', ts, [
      point('weight', 512.5),
      point('humidity', 50, 'bad'),
      point('cable1_1', 18.5, 'bad'),
      point('temperature', null, 'bad'),
      { ...point('status', 1), sensor: null },
    ]);
    await eventually(async () => (await current('scale-1')).level.actual, 512.5);
    const { level, humidity, temperature, sensors } = await current('scale-1');
    assert.deepEqual(
      [level.quality, humidity.quality, sensors.cable1_1.quality, temperature.timestamp],
      ['good', 'bad', 'bad', null],
    );
    assert.equal(level.timestamp, new Date(ts).toISOString());
    await eventually(() => statusOf('scale-1'), 'online');
    drivers.becomes('scale-1', 'silent');
    await eventually(() => statusOf('scale-1'), 'offline');
    // The bridge reports the device as offline before it disconnects.
    await eventually(async () => {
      const { connected, last_disconnect } = (await api.get(`${SILOS}/scale-1/link`)).body.data;
      return connected ? 'connected' : last_disconnect?.reason;
    }, 'clean');
    await eventually(async () => (await reportOf(bridgeId))?.devices[0]?.state, 'silent');
    drivers.say('scale-1', Date.now(), [point('weight', 600)]);
    await eventually(async () => (await current('scale-1')).level.actual, 600);
    assert.equal((await reportOf(bridgeId)).version, '0');
  });

  test('keeps what it reads while the service is away, sends the newest first, and loses nothing', async (t) => {
    const proxy = await FaultyProxy.start(t, service.current().mqttUrl);
    const { drivers, bridge } = await start(['away-1', 'away-2'], proxy.url.replace('http', 'mqtt'));
    const firstMs = Date.now() - 7_200_000;
    const say = (n: number) => {
      for (const id of ['away-1', 'away-2']) drivers.say(id, firstMs + n * 1_000, [point('weight', n % 900)]);
    };
    say(0);
    await eventually(() => countOf('away-1'), 1);
    const { targetPort } = proxy;
    proxy.targetPort = null;
    proxy.cut();
    for (let n = 1; n <= 3_000; n++) say(n);
    await eventually(async () => bridge.status().journal.readings >= 6_000, true);
    // A delayed link shows the order: the newest value arrives before the old ones.
    proxy.targetPort = targetPort;
    await eventually(
      async () => (await current('away-1')).level.timestamp,
      new Date(firstMs + 3_000_000).toISOString(),
    );
    say(3_001);
    await eventually(() => countOf('away-1'), 3_002);
    await eventually(() => countOf('away-2'), 3_002);
    await eventually(async () => bridge.status().journal.readings, 0);
  });

  test('goes on after a restart with what its journal has', async () => {
    const { drivers, bridge, options, siteFile } = await start(['again-1'], 'mqtt://127.0.0.1:9');
    const nowMs = Date.now();
    for (let n = 0; n < 50; n++) drivers.say('again-1', nowMs - n * 1_000, [point('weight', n)]);
    await bridge.stop();
    const text = await readFile(siteFile, 'utf8');
    await writeFile(siteFile, text.replace('mqtt://127.0.0.1:9', service.current().mqttUrl));
    const second = new Bridge(options);
    await second.start();
    undos.push(() => second.stop());
    assert.equal(second.devices()[0]?.waiting, 50);
    drivers.becomes('again-1', 'answering');
    await eventually(() => countOf('again-1'), 50);
  });

  test('keeps the last good site file, says every fault with its line, and takes the next good one', async () => {
    const { drivers, siteFile, bridgeId, bridge } = await start(['kept-1', 'kept-2']);
    const good = await readFile(siteFile, 'utf8');
    await writeFile(
      siteFile,
      good
        .replace('tcp://10.0.0.1:4001', 'somewhere')
        .replace('kept-1, mapping: ascii-weight', 'kept-1, mapping: none'),
    );
    await eventually(async () => (await reportOf(bridgeId))?.site.faults.length, 2);
    const { faults } = (await reportOf(bridgeId)).site;
    assert.deepEqual(
      faults.map(({ line }: { line: number }) => line),
      [3, 4],
    );
    assert.match(faults[0].message, /\/devices\/0\/mapping there is no mapping none/);
    assert.match(faults[1].message, /\/devices\/1\/endpoint must be an address/);
    drivers.say('kept-1', Date.now(), [point('weight', 77)]);
    await eventually(async () => (await current('kept-1')).level.actual, 77);
    await writeFile(siteFile, good.replace('tcp://10.0.0.1:4001', 'tcp://10.0.0.9:4001'));
    await eventually(async () => (await reportOf(bridgeId)).site.faults.length, 0);
    assert.deepEqual(
      [...drivers.starts.entries()],
      [
        ['tcp://10.0.0.0:4001', 1],
        ['tcp://10.0.0.1:4001', 1],
        ['tcp://10.0.0.9:4001', 1],
      ],
    );
    await rm(siteFile);
    await eventually(async () => (await reportOf(bridgeId)).site.faults.length, 1);
    assert.equal(bridge.devices().length, 2);
    await writeFile(siteFile, good);
  });

  test('tests, adds and removes devices that people choose in the service', async () => {
    const { drivers, siteFile, bridgeId } = await start(['old-1']);
    const path = `/v1/bridges/${bridgeId}`;
    await eventually(async () => (await api.get(path)).status, 200);
    const place = { mapping: 'ascii-weight', endpoint: 'tcp://10.0.0.77:4001' };
    const tested = (await api.post(`${path}/tests`, { ...place, unit: 3 })).body.data;
    assert.deepEqual([tested.failure, tested.round_trip_ms, tested.points[0].value], [null, 5, 42]);
    const failed = (await api.post(`${path}/tests`, { ...place, unit: 4 })).body.data;
    assert.deepEqual(failed.failure, { code: 'timeout', detail: 'no answer within 500 ms' });
    await api.post(SILOS, siloNamed('new-1'));
    const added = await api.post(`${path}/devices`, { device_id: 'new-1', ...place });
    assert.equal(added.status, 200, added.text);
    assert.match(await readFile(siteFile, 'utf8'), /# our bridge[\s\S]*new-1/);
    drivers.say('new-1', Date.now(), [point('weight', 88)]);
    await eventually(async () => (await current('new-1')).level.actual, 88);
    const none = await api.post(`${path}/devices`, { device_id: 'new-1', ...place, mapping: 'none' });
    assert.match(none.body.error.message, /there is no mapping none/);
    await eventually(async () => (await reportOf(bridgeId)).devices.length, 2);
    assert.equal((await api.delete(`${path}/devices/new-1`)).status, 200);
    assert.equal((await readFile(siteFile, 'utf8')).includes('new-1'), false);
    await eventually(() => statusOf('new-1'), 'offline');
    const mappings = (await api.get(`${path}/mappings`)).body.data;
    assert.ok(mappings.some(({ name }: { name: string }) => name === 'ascii-weight'));
  });

  test('sends no value in another unit than the declared one, says so, and knows it without the service', async () => {
    const { drivers, siteFile, bridgeId, bridge, options } = await start(['unit-1']);
    const mapping = join(folder, 'cable.yaml');
    const inUnit = (unit: string) =>
      writeFile(
        mapping,
        `mapping: cable
version: 1
title: A scale with a cable
source: this test
evidence: documented
protocol: modbus
profile: silo_scale
points:
  weight: {at: 0, type: u16, unit: kg, sensor: weight}
  cable: {at: 1, type: i16, unit: ${unit}, sensor: cable1_1, kind: temperature}
`,
      );
    const cable = async () => (await current('unit-1')).sensors.cable1_1.current;
    const failure = async () => (await reportOf(bridgeId))?.devices[0]?.last_failure?.code ?? null;
    await inUnit('celsius');
    const text = await readFile(siteFile, 'utf8');
    await writeFile(
      siteFile,
      text.replace('devices:', 'mappings: [cable.yaml]\ndevices:').replace('ascii-weight', 'cable'),
    );
    await eventually(async () => (await reportOf(bridgeId))?.devices[0]?.mapping, 'cable');
    drivers.say('unit-1', Date.now(), [point('weight', 5), point('cable1_1', 18.5)]);
    await eventually(cable, 18.5);
    assert.equal(await failure(), null);
    await inUnit('K');
    await eventually(failure, 'unit_differs');
    const { last_failure } = (await reportOf(bridgeId)).devices[0];
    assert.match(
      last_failure.detail,
      /cable1_1 is declared in celsius, and the mapping gives K; write "convert: celsius"/,
    );
    assert.deepEqual(last_failure.points, ['cable1_1']);
    const listed = (await api.get('/v1/bridges')).body.data;
    assert.equal(
      listed.find((one: { bridge_id: string }) => one.bridge_id === bridgeId).devices.unit_differs,
      1,
    );
    assert.ok(said.includes('values of a device are not sent: their unit is not the declared one'));
    drivers.say('unit-1', Date.now(), [point('weight', 6), point('cable1_1', 291)]);
    await eventually(async () => (await current('unit-1')).level.actual, 6);
    assert.equal(await cable(), 18.5);
    await bridge.stop();
    const site = await readFile(siteFile, 'utf8');
    await writeFile(siteFile, site.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '9'));
    const away = new Bridge(options);
    await away.start();
    drivers.say('unit-1', Date.now(), [point('weight', 7), point('cable1_1', 292)]);
    await away.stop();
    await writeFile(siteFile, site);
    await inUnit('K, convert: celsius');
    const last = new Bridge(options);
    await last.start();
    undos.push(() => last.stop());
    drivers.becomes('unit-1', 'answering');
    await eventually(async () => (await current('unit-1')).level.actual, 7);
    assert.equal(await cable(), 18.5);
    drivers.say('unit-1', Date.now(), [point('cable1_1', 19)]);
    await eventually(cable, 19);
    await eventually(failure, null);
  });

  test('does not start with a faulty file or with secrets that others can read', async () => {
    const { options, siteFile, bridgeId } = await start([]);
    const secrets = join(folder, `${bridgeId}.data`, 'secrets.json');
    await chmod(secrets, 0o644);
    await assert.rejects(new Bridge(options).start(), /chmod 600/);
    await writeFile(siteFile, 'bridge: {id: "a b"}\ndevices: [{id: x}]\n');
    await assert.rejects(new Bridge(options).start(), (error) => {
      assert.ok(error instanceof SiteError);
      assert.deepEqual([...new Set(error.faults.map(({ line }) => line))], [1, 2]);
      return true;
    });
  });

  test('uses the time of the service where its own clock is wrong, and is not moved by a jump', async () => {
    let jumpMs = -86_400_000;
    const { bridgeId, bridge } = await start(['clock-1'], undefined, {
      clocks: { system: () => Date.now() + jumpMs },
    });
    await eventually(async () => said.some((one) => one.startsWith('the clock of this machine')), true);
    await eventually(async () => (await reportOf(bridgeId)).status, 'connected');
    jumpMs = 86_400_000;
    assert.ok(Math.abs(bridge.now() - Date.now()) < 2_000);
  });

  test('what was read with a wrong clock before the first contact gets its right time', async (t) => {
    const mqtt = await FaultyProxy.start(t, service.current().mqttUrl);
    const http = await FaultyProxy.start(t, service.current().httpUrl);
    const { targetPort } = http;
    http.targetPort = null;
    const DAY_MS = 86_400_000;
    let aheadMs = 40 * DAY_MS;
    const system = () => Date.now() + aheadMs;
    const { drivers, bridge } = await start(
      ['early-1'],
      mqtt.url.replace('http', 'mqtt'),
      { clocks: { system } },
      http.url,
    );
    const startedMs = Date.now();
    // The service accepts connections, but has not told its time yet, and would refuse these readings.
    drivers.say('early-1', bridge.now(), [point('weight', 1)]);
    await eventually(() => statusOf('early-1'), 'online');
    aheadMs = -DAY_MS;
    drivers.say('early-1', bridge.now(), [point('weight', 2)]);
    const ownMs = startedMs - 10_000;
    drivers.say('early-1', ownMs, [point('weight', 3)], true);
    http.targetPort = targetPort;
    await eventually(() => countOf('early-1'), 3);
    const from = new Date(Date.now() - 60 * DAY_MS).toISOString();
    const { text } = await api.get(`/v1/readings?device_id=early-1&from=${from}&sensor=weight&format=ndjson`);
    const times = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Date.parse(JSON.parse(line).timestamp));
    assert.equal(Math.min(...times), ownMs);
    assert.equal(times.filter((ms) => ms >= startedMs - 2_000 && ms <= Date.now() + 2_000).length, 2);
  });

  test('what a device said before it fell silent is delivered without it, and it is offline afterwards', async (t) => {
    const proxy = await FaultyProxy.start(t, service.current().mqttUrl);
    const { drivers, bridge, options } = await start(['gone-1'], proxy.url.replace('http', 'mqtt'));
    const { targetPort } = proxy;
    const nowMs = Date.now();
    drivers.say('gone-1', nowMs - 60_000, [point('weight', 0)]);
    await eventually(() => countOf('gone-1'), 1);
    proxy.targetPort = null;
    proxy.cut();
    for (let n = 1; n <= 50; n++) drivers.say('gone-1', nowMs - 60_000 + n, [point('weight', n)]);
    drivers.becomes('gone-1', 'silent');
    await eventually(async () => bridge.status().journal.readings >= 50, true);
    proxy.targetPort = targetPort;
    await eventually(() => countOf('gone-1'), 51);
    await eventually(() => statusOf('gone-1'), 'offline');
    // This must also work in a bridge that has not received anything from the device since its start.
    proxy.targetPort = null;
    proxy.cut();
    for (let n = 51; n <= 60; n++) drivers.say('gone-1', nowMs - 60_000 + n, [point('weight', n)]);
    await eventually(async () => bridge.status().journal.readings >= 10, true);
    await bridge.stop();
    drivers.becomes('gone-1', 'waiting');
    proxy.targetPort = targetPort;
    const second = new Bridge(options);
    await second.start();
    undos.push(() => second.stop());
    await eventually(() => countOf('gone-1'), 61);
    await eventually(() => statusOf('gone-1'), 'offline');
  });

  test('a driver that cannot start does not stop the others', async () => {
    const { drivers, siteFile, bridgeId } = await start(['whole-1']);
    drivers.isBroken = true;
    const text = await readFile(siteFile, 'utf8');
    await writeFile(
      siteFile,
      `${text}  - {id: broken-1, mapping: ascii-weight, endpoint: "tcp://10.9.9.9:1"}\n`,
    );
    await eventually(async () => (await reportOf(bridgeId))?.devices.length, 2);
    drivers.say('whole-1', Date.now(), [point('weight', 99)]);
    await eventually(async () => (await current('whole-1')).level.actual, 99);
  });
});
