import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { attach, RecordedDriver, until } from '@granary/testing/bridge/driver-rig';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { connectAsync, type MqttClient } from 'mqtt';
import type { AttachedDevice } from '../driver.ts';
import { makeDriver } from './mqtt-driver.ts';

const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto is not installed here'
  : false;

const SCALE = `
mapping: scale
version: 1
title: A scale
source: this test
evidence: documented
protocol: mqtt
defaults:
  topic: "scales/{address}/state"
  time: {pointer: /at, as: epoch_ms}
  silent_after: 1s
  availability: {topic: "scales/{address}/status"}
points:
  weight: {pointer: /kg, unit: kg, range: [0, 1000], sensor: weight}
  door: {topic: "scales/{address}/door", table_of: door, unit: state, sensor: door}
tables:
  door: {OPEN: 1, CLOSED: 0}
`;

const LEVEL = `
mapping: level
version: 1
title: A level sensor
source: this test
evidence: documented
protocol: lorawan
points:
  distance: {pointer: /distance, unit: mm, sensor: distance}
`;

class Rig extends RecordedDriver {
  readonly broker: MosquittoBroker;
  readonly #publisher: MqttClient;

  constructor(broker: MosquittoBroker, publisher: MqttClient) {
    super();
    this.broker = broker;
    this.#publisher = publisher;
  }

  async publish(topic: string, payload: object | string, retain = false): Promise<void> {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    await this.#publisher.publishAsync(topic, text, { qos: 1, retain });
  }
}

async function start(
  t: TestContext,
  devices: (endpoint: string) => AttachedDevice[],
  before: (rig: Rig) => Promise<void> = async () => undefined,
): Promise<Rig> {
  const broker = await MosquittoBroker.start();
  t.after(() => broker.remove());
  const publisher = await connectAsync(broker.url);
  t.after(() => publisher.endAsync(true));
  const rig = new Rig(broker, publisher);
  await before(rig);
  await rig.start(t, (events, parts) => makeDriver(devices(broker.url), events, parts));
  await until(() => assert.ok(rig.log.includes('listens to a broker')));
  return rig;
}

test('messages of a broker become samples of their devices', { skip: without }, async (t) => {
  const rig = await start(t, (endpoint) => [
    attach('silo-1', SCALE, endpoint, { address: 'one' }),
    attach('silo-2', SCALE, endpoint, { address: 'two' }),
  ]);
  assert.equal(rig.stateOf('silo-1'), 'waiting');
  const at = Date.now() - 5_000;
  await rig.publish('scales/one/state', { kg: 12.5, at });
  await rig.publish('scales/two/state', { kg: 2_000 });
  await rig.publish('scales/two/door', 'OPEN');
  await rig.publish('scales/three/state', { kg: 1 });
  await until(() => assert.equal(rig.samples.length, 3));
  assert.deepEqual(rig.values, ['silo-1 weight=12.5', 'silo-2 weight=2000', 'silo-2 door=1']);
  assert.equal(rig.samples[0]?.atMs, at, 'the time of the device');
  assert.equal(rig.samples[1]?.values[0]?.reason, 'out_of_range');
  assert.equal(rig.stateOf('silo-1'), 'answering');
});

test('what the broker has kept is used only when it says how old it is, and once', {
  skip: without,
}, async (t) => {
  const at = Date.now() - 500;
  const rig = await start(
    t,
    (endpoint) => [
      attach('silo-1', SCALE, endpoint, { address: 'one' }),
      attach('silo-2', SCALE, endpoint, { address: 'two' }),
    ],
    async (rig) => {
      await rig.publish('scales/one/state', { kg: 1, at }, true);
      await rig.publish('scales/two/state', { kg: 2 }, true);
      await rig.publish('scales/two/door', 'OPEN', true);
    },
  );
  await rig.publish('scales/two/state', { kg: 3 }, true);
  await until(() => assert.ok(rig.samples.some(({ deviceId }) => deviceId === 'silo-2')));
  assert.deepEqual(rig.values, ['silo-1 weight=1', 'silo-2 weight=3']);
  assert.equal(rig.samples[0]?.atMs, at);
});

test('a device is silent when its broker says so, after its time without a message, and no longer with the next one', {
  skip: without,
}, async (t) => {
  const rig = await start(t, (endpoint) => [attach('silo-1', SCALE, endpoint, { address: 'one' })]);
  await rig.publish('scales/one/state', { kg: 1 });
  await until(() => assert.equal(rig.stateOf('silo-1'), 'answering'));
  await rig.publish('scales/one/status', 'offline');
  await until(() => assert.equal(rig.stateOf('silo-1'), 'silent'));
  assert.deepEqual(rig.failures.at(-1)?.failure.points, ['weight', 'door']);
  await rig.publish('scales/one/state', { kg: 2 });
  await until(() => assert.equal(rig.stateOf('silo-1'), 'answering'));
  await until(() => assert.equal(rig.stateOf('silo-1'), 'silent'));
  assert.equal(rig.failures.at(-1)?.failure.code, 'no_data');
});

test('hostile messages are failures, and the device goes on', { skip: without }, async (t) => {
  const rig = await start(t, (endpoint) => [attach('silo-1', SCALE, endpoint, { address: 'one' })]);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const payload of [
    '{',
    '',
    'null',
    '[]',
    '{"kg":"NaN"}',
    '{"kg":{"a":1}}',
    '{"__proto__":{"kg":5}}',
    '{"kg":1e999}',
    deep,
    'x'.repeat(300_000),
  ])
    await rig.publish('scales/one/state', payload);
  await rig.publish('scales/one/door', 'AJAR');
  await rig.publish('scales/one/state', { kg: 7 });
  await until(() => assert.equal(rig.samples.at(-1)?.values[0]?.value, 7));
  const used = rig.samples.slice(0, -1).flatMap(({ values }) => values);
  assert.ok(used.length >= 3);
  assert.ok(
    used.every(({ value, quality }) => value === null && quality === 'bad'),
    JSON.stringify(used),
  );
  assert.ok(
    rig.failures.some(
      ({ failure }) => failure.code === 'malformed' && failure.detail.includes('300000 bytes'),
    ),
  );
  assert.deepEqual(
    rig.failures.flatMap(({ failure }) => failure.points),
    [],
    'what was read before stays',
  );
});

test('uplinks of both network servers, each of them once', { skip: without }, async (t) => {
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const rig = await start(t, (endpoint) => [
    attach('level-1', LEVEL, endpoint, { network: 'chirpstack', address: '24e124713c000001' }),
    attach('level-2', LEVEL, endpoint, { network: 'tts', address: 'eui-2' }),
  ]);
  const chirpstack = {
    deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
    time: `${day}T04:00:00.5+00:00`,
    deviceInfo: { devEui: '24e124713c000001' },
    object: { distance: 1200 },
  };
  const topic = 'application/7f3b/device/24e124713c000001/event/up';
  await rig.publish(topic, chirpstack);
  await rig.publish(topic, chirpstack);
  await rig.publish(topic, { ...chirpstack, deduplicationId: 'other', object: {} });
  const uplink = { session_key_id: 'a', f_cnt: 1, decoded_payload: { distance: 800 } };
  const tts = {
    end_device_ids: { device_id: 'eui-2' },
    received_at: `${day}T04:00:01Z`,
    uplink_message: uplink,
  };
  for (const one of [uplink, uplink, { ...uplink, f_cnt: 2 }, { ...uplink, session_key_id: 'b' }])
    await rig.publish('v3/farm@ttn/devices/eui-2/up', { ...tts, uplink_message: one });
  await until(() => assert.equal(rig.samples.length, 4));
  assert.deepEqual(rig.values, [
    'level-1 distance=1200',
    ...Array.from({ length: 3 }, () => 'level-2 distance=800'),
  ]);
  assert.equal(rig.samples[0]?.atMs, Date.parse(`${day}T04:00:00.5Z`));
  assert.equal(rig.driver.health()[0]?.counters.skipped, 1);
});

test('the connection comes back after the broker was killed', { skip: without }, async (t) => {
  const rig = await start(t, (endpoint) => [attach('silo-1', SCALE, endpoint, { address: 'one' })]);
  await rig.broker.end();
  await until(() => assert.ok(rig.failures.some(({ failure }) => failure.code === 'connection_lost')));
  const said = rig.failures.length;
  await sleep(5_000);
  assert.ok(rig.failures.length <= said + 1, 'the same failure is not said with every attempt');
  await rig.broker.restart();
  await until(async () => {
    await rig.publish('scales/one/state', { kg: 4 });
    assert.equal(rig.samples.at(-1)?.values[0]?.value, 4);
  });
});

test('a device without its address is refused', () => {
  const { events, parts } = new RecordedDriver();
  const make = (mapping: string, options: AttachedDevice['options']) => () =>
    makeDriver([attach('silo-1', mapping, 'mqtt://127.0.0.1', options)], events, parts);
  assert.throws(make(SCALE, {}), /silo-1: options.address/);
  assert.throws(make(SCALE, { address: '+/#' }), /options.address/);
  assert.throws(make(LEVEL, { address: 'x' }), /options.network must be one of chirpstack, tts/);
  assert.throws(
    make(SCALE, { address: 'x', silent_after: 'soon' }),
    /options.silent_after must be a duration/,
  );
  assert.doesNotThrow(make(LEVEL, { address: 'x', network: 'tts' }));
});

test('a kept message that cannot be made a text ends nothing', { skip: without }, async (t) => {
  const trap = { toString: 1, valueOf: 1 };
  const uplink = { deduplicationId: trap, object: { distance: 1 }, deviceInfo: { devEui: trap } };
  const rig = await start(
    t,
    (endpoint) => [
      attach('level', LEVEL, endpoint, { network: 'chirpstack', address: 'aa' }),
      attach('silo-1', SCALE.replace('status"', 'status", pointer: /state'), endpoint, { address: 'one' }),
    ],
    async (before) => {
      const now = { ...uplink, time: new Date().toISOString() };
      await before.publish('application/1/device/aa/event/up', now, true);
      await before.publish('scales/one/status', { state: trap }, true);
    },
  );
  await rig.publish('scales/one/status', { state: 'online' });
  await rig.publish('scales/one/state', { kg: 7 });
  await until(() => assert.ok(rig.values.includes('silo-1 weight=7')));
});
