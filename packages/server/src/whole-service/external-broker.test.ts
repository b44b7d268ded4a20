import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SiloCommand, topicOf } from '@granary/contract/link/messages';
import { describePostgres } from '@granary/testing/app/engines';
import { rawReadings } from '@granary/testing/app/raw-readings';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { MosquittoBroker } from '@granary/testing/link/mosquitto-broker';
import { type Publisher, startPublisher } from '@granary/testing/server/devices/publisher';
import { eventually } from '@granary/testing/server/eventually';
import { siloNamed } from '@granary/testing/server/service';
import { type ServiceProcess, startServiceProcess } from '@granary/testing/server/service-process';
import { connectAsync, type MqttClient } from 'mqtt';

const ADMIN_KEY = 'an-admin-key-for-the-broker-test-only';
const DEVICES = ['shared-1', 'shared-2', 'shared-3', 'shared-4'];
const KILLS = IS_FULL_SIZE ? 6 : 2;
const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto is not installed here'
  : false;

type Json = ReturnType<typeof JSON.parse>;

describePostgres('two nodes on one database and an external broker', (engine) => {
  const folders: string[] = [];
  const publishers: Publisher[] = [];
  const nodes = new Map<number, ServiceProcess>();
  let broker: MosquittoBroker | undefined;

  before(async () => {
    if (without !== false) return;
    broker = await MosquittoBroker.start();
    for (const index of [0, 1]) {
      folders.push(await mkdtemp(join(tmpdir(), 'granary-node-')));
      await start(index);
    }
  });
  after(async () => {
    for (const publisher of publishers) publisher.abandon();
    for (const node of nodes.values()) await node.kill();
    await broker?.remove();
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (index: number): Promise<void> => {
    const { location } = engine;
    const node = await startServiceProcess({
      GRANARY_DATA_DIR: folders[index] ?? '',
      GRANARY_DATABASE_URL: location.engine === 'postgres' ? location.url : '',
      GRANARY_BROKER_URL: broker?.url ?? '',
      GRANARY_ADMIN_KEY: ADMIN_KEY,
      GRANARY_RATE_LIMIT: 'off',
    });
    nodes.set(index, node);
  };
  const call = async (index: number, method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${nodes.get(index)?.httpUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  };

  test('an operation that was started through one node is stopped through the other', {
    skip: without,
  }, async () => {
    await call(0, 'POST', '/v1/siloscale/devices', siloNamed('moving'));
    const silo = await startSilo(broker?.url ?? '', 'moving');
    const path = '/v1/siloscale/devices/moving';
    const statusAt = async (index: number): Promise<string> => (await call(index, 'GET', path)).data.status;
    const connected = async (index: number): Promise<boolean> =>
      (await call(index, 'GET', `${path}/link`)).data.subscribed;
    await eventually(() => statusAt(0), 'online');
    await eventually(() => connected(0), true);
    await eventually(() => connected(1), true);
    const feed = { amount: 100, unit: 'kg', rate: 5, rate_unit: 'kg/min' };
    const { operation_id } = (await call(0, 'POST', `${path}/operations/feed`, feed)).data;
    const operation = async (): Promise<string> =>
      (await call(1, 'GET', `${path}/operations/${operation_id}`)).data.status;
    await eventually(operation, 'in_progress');
    await call(1, 'POST', `${path}/operations/${operation_id}/stop`);
    await eventually(operation, 'stopped');
    await call(1, 'PUT', `${path}/config`, { thresholds: { low_level: 33 } });
    await eventually(async () => silo.lowLevel, 33);
    silo.client.stream.destroy();
    await eventually(() => statusAt(0), 'offline');
    await eventually(() => connected(1), false);
    await silo.client.endAsync(true);
  });

  test('nodes are killed while devices publish: every reading that the broker took is stored once', {
    skip: without,
  }, async () => {
    const url = new URL(broker?.url ?? '');
    for (const deviceId of DEVICES) {
      await call(0, 'POST', '/v1/siloscale/devices', siloNamed(deviceId));
      publishers.push(startPublisher(url, deviceId, 'any'));
    }
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(300 + ((kill * 97) % 300));
      await nodes.get(kill % 2)?.kill();
      // Every third time the other node has time to take over the work of the killed one.
      await sleep(kill % 3 === 0 ? 4_000 : 100);
      await start(kill % 2);
    }
    const acknowledged = await Promise.all(publishers.map((publisher) => publisher.stop()));
    const sent = acknowledged.flat().length;
    assert.ok(sent > KILLS * DEVICES.length, `${sent} readings acknowledged`);

    const app = await engine.open();
    const deviceNos = await Promise.all(
      DEVICES.map(async (deviceId) => (await app.devices.find(deviceId))?.deviceNo),
    );
    const expected = acknowledged.flatMap((readings, index) =>
      readings.map(({ tsMs, weightG }) => `${deviceNos[index]} ${tsMs} ${weightG}`),
    );
    await eventually(async () => {
      const raw = await rawReadings(engine.location);
      const stored = new Set(raw.map(({ deviceNo, tsMs, a }) => `${deviceNo} ${tsMs} ${a}`));
      assert.equal(stored.size, raw.length, 'no reading is stored twice');
      return expected.filter((reading) => !stored.has(reading)).length;
    }, 0);
  });
});

interface Silo {
  readonly client: MqttClient;
  readonly lowLevel: number | null;
}

/** A silo that carries out one operation until it is stopped. */
async function startSilo(url: string, deviceId: string): Promise<Silo> {
  const session = 'session-1';
  const will = {
    topic: topicOf(deviceId, 'status'),
    qos: 1 as const,
    retain: true,
    payload: Buffer.from(JSON.stringify({ state: 'offline', session })),
  };
  const client = await connectAsync(url, {
    clientId: deviceId,
    protocolVersion: 5,
    reconnectPeriod: 0,
    will,
  });
  client.on('error', () => undefined);
  const say = (
    subject: 'telemetry' | 'ack' | 'progress' | 'status',
    message: object,
    retain = false,
  ): void => {
    client.publish(topicOf(deviceId, subject), JSON.stringify(message), { qos: 1, retain });
  };
  const progress = (operation_id: string, state: string): void =>
    say('progress', { operation_id, type: 'feed', state, amount_kg: 1, ts: Date.now() });
  const silo = { client, lowLevel: null as number | null };
  client.on('message', (topic, payload) => {
    const message = JSON.parse(payload.toString());
    if (topic === topicOf(deviceId, 'config')) {
      silo.lowLevel = message.thresholds.low_level;
      return;
    }
    const { command, operation_id } = message as SiloCommand;
    if (command === 'start') say('ack', { operation_id, accepted: true });
    progress(operation_id, command === 'stop' ? 'stopped' : 'running');
  });
  await client.subscribeAsync([topicOf(deviceId, 'command'), topicOf(deviceId, 'config')], { qos: 1 });
  say('status', { state: 'online', session }, true);
  say('telemetry', { ts: Date.now(), weight: 300 });
  return silo;
}
