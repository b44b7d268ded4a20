import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openApp } from '@granary/app/app';
import type { DeviceValues } from '@granary/contract/fleet';
import { batchOf } from '@granary/testing/app/fixtures';
import { readingOf } from '@granary/testing/core/readings';
import { type ScriptedSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { EventReader } from '@granary/testing/server/event-reader';
import { type Api, describeRequests, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
/** This is more than one message contains and one statement reads. */
const MANY = 250;
/** This is few enough that the storage accepts a document in time on a busy machine. */
const PER_DOCUMENT = 50;

const open = (api: Api, query = ''): Promise<EventReader> =>
  EventReader.open(api, { path: '/v1/readings/stream', query });

/** The values of one device from the next message that has them and meets the condition. */
async function valuesOf(
  reader: EventReader,
  deviceId: string,
  isWanted: (values: DeviceValues) => boolean = () => true,
): Promise<DeviceValues> {
  for (let message = await reader.next(); message !== null; message = await reader.next()) {
    assert.equal(message.name, 'readings');
    const found = message.data.devices.find((one: DeviceValues) => one.device_id === deviceId);
    if (found !== undefined && isWanted(found)) return found;
  }
  throw new Error(`the stream ended without the expected values of ${deviceId}`);
}

const weighs = (weight: number) => (values: DeviceValues) => values.readings['weight']?.value === weight;

describeRequests('the stream of newest values', (api, location) => {
  let silo: ScriptedSilo;
  const keyWith = async (fields: object) =>
    (await api.post('/v1/keys', { name: 'k', scopes: ['read'], ...fields })).body.data;
  const report = async (deviceId: string, weight: number): Promise<void> => {
    const { status } = await api.post(`${SILOS}/${deviceId}/telemetry`, { ts: Date.now(), weight });
    assert.equal(status, 200);
  };

  before(async () => {
    silo = await startSilo(api, 'north-1');
    await api.post(SILOS, siloNamed('north-2'));
    await api.post(SILOS, siloNamed('south-1', 'south'));
  });
  after(() => silo.leave());

  test('begins with every device as the list shows it, then sends what changes', async () => {
    const reader = await open(api);
    assert.match(reader.headers.get('content-type') ?? '', /^text\/event-stream/);
    const first = await reader.next();
    const listed = (await api.get('/v1/devices?include=readings')).body.data;
    assert.deepEqual(
      first?.data.devices,
      listed.map(({ device_id, status, last_seen, readings }: DeviceValues) => ({
        device_id,
        status,
        last_seen,
        readings,
      })),
    );
    assert.ok(Math.abs(Date.parse(first?.data.at) - Date.now()) < 60_000);
    await silo.weigh(512.5);
    const changed = await reader.next();
    assert.deepEqual(
      changed?.data.devices.map((one: DeviceValues) => one.device_id),
      ['north-1'],
    );
    assert.deepEqual(
      [changed?.data.devices[0].readings.weight.value, changed?.data.devices[0].readings.level.value],
      [512.5, 51.25],
    );
    reader.close();
  });

  test('shows a device that is registered, moved or removed while the stream is open', async () => {
    const south = await open(api, '?facility=south');
    await valuesOf(south, 'south-1');
    await api.post(SILOS, siloNamed('passing'));
    await api.patch(`${SILOS}/passing`, { location: { facility: 'south', zone: 'a' } });
    assert.deepEqual(await valuesOf(south, 'passing'), {
      device_id: 'passing',
      status: 'offline',
      last_seen: null,
      readings: {},
    });
    await api.delete(`${SILOS}/passing`);
    await report('south-1', 100);
    const next = await south.next();
    assert.deepEqual(
      next?.data.devices.map((one: DeviceValues) => one.device_id),
      ['south-1'],
    );
    south.close();
  });

  test('shows only devices that the key may access and the query asks for', async () => {
    const limited = api.as((await keyWith({ facilities: ['south'] })).key);
    const one = api.as((await keyWith({ device_ids: ['north-2', 'south-1'] })).key);
    const idsFor = async (as: Api, query = ''): Promise<string[]> => {
      const reader = await open(as, query);
      const first = await reader.next();
      reader.close();
      return first?.data.devices.map(({ device_id }: DeviceValues) => device_id);
    };
    assert.deepEqual(await idsFor(limited), ['south-1']);
    assert.deepEqual(await idsFor(limited, '?device_id=north-1,south-1'), ['south-1']);
    assert.deepEqual(await idsFor(limited, '?facility=north'), []);
    assert.deepEqual(await idsFor(one), ['north-2', 'south-1']);
    assert.deepEqual(await idsFor(one, '?device_id=north-1'), []);
    assert.deepEqual(await idsFor(api, '?device_id=north-2,unknown'), ['north-2']);
    const reader = await open(limited);
    await valuesOf(reader, 'south-1');
    await silo.weigh(520);
    await report('north-2', 60);
    await report('south-1', 70);
    const next = await reader.next();
    assert.deepEqual(
      next?.data.devices.map(({ device_id }: DeviceValues) => device_id),
      ['south-1'],
    );
    reader.close();
  });

  test('turns a value stale and the device offline when it is silent', async () => {
    await api.post(SILOS, siloNamed('silent'));
    await api.put(`${SILOS}/silent/config`, { reporting: { interval_s: 1 } });
    const reader = await open(api, '?device_id=silent');
    await report('silent', 80);
    const fresh = await valuesOf(reader, 'silent', weighs(80));
    assert.deepEqual([fresh.status, fresh.readings['weight']?.quality], ['online', 'good']);
    const silent = await valuesOf(reader, 'silent', ({ status }) => status === 'offline');
    assert.equal(silent.readings['weight']?.quality, 'stale');
    assert.equal(silent.readings['weight']?.timestamp, fresh.readings['weight']?.timestamp);
    reader.close();
  });

  test('ends when its key is revoked, and counts as one of the ten streams of its key', async () => {
    const { key, key_id: keyId } = await keyWith({});
    const caller = api.as(key);
    const readers = await Promise.all(Array.from({ length: 9 }, () => open(caller)));
    readers.push(await EventReader.open(caller));
    const refused = await caller.get('/v1/readings/stream');
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'stream_limit_reached']);
    await api.delete(`/v1/keys/${keyId}`);
    for (const reader of readers) while ((await reader.next()) !== null);
    assert.equal((await open(caller)).status, 401);
  });

  test('needs a key that may read, and a query that can be understood', async () => {
    assert.equal((await api.raw('GET', '/v1/readings/stream', {})).status, 401);
    const { key } = await keyWith({ scopes: ['ingest'] });
    assert.equal((await api.as(key).get('/v1/readings/stream')).status, 403);
    assert.equal((await api.post('/v1/readings/stream', {})).status, 405);
    for (const wrong of ['?device_id=', '?device_id=a b', '?device_id=a,,b', '?colour=green']) {
      assert.equal((await api.get(`/v1/readings/stream${wrong}`)).status, 400, wrong);
    }
  });

  test('sends many devices in parts, and then those that report, also to another node', async () => {
    const devices = Array.from({ length: MANY }, (_, index) => ({
      ...siloNamed(`many-${index}`, 'large'),
      profile: 'silo_scale',
    }));
    for (let first = 0; first < MANY; first += PER_DOCUMENT) {
      const document = { version: 1, devices: devices.slice(first, first + PER_DOCUMENT) };
      const { status, text } = await api.post('/v1/apply', document);
      assert.equal(status, 200, text);
    }
    const reader = await open(api, '?facility=large');
    const seen: string[] = [];
    while (seen.length < MANY) {
      const message = await reader.next();
      assert.ok(message !== null && message.data.devices.length <= 200);
      for (const { device_id } of message.data.devices) seen.push(device_id);
    }
    assert.equal(new Set(seen).size, MANY);
    await report('many-7', 90);
    assert.equal((await valuesOf(reader, 'many-7', weighs(90))).status, 'online');
    // The status stays the same, so that no event tells of it.
    await report('many-7', 91);
    await valuesOf(reader, 'many-7', weighs(91));

    const there = await openApp(location());
    try {
      const device = await there.devices.find('many-8');
      assert.ok(device !== undefined);
      const tsMs = Date.now();
      const { deviceNo } = device;
      const readings = [readingOf(deviceNo, tsMs, { weight: 95_000 })];
      await there.telemetry.append(batchOf({ readings, seen: [{ deviceNo, atMs: tsMs }] }));
    } finally {
      await there.close();
    }
    await valuesOf(reader, 'many-8', weighs(95));
    reader.close();
  });
});
