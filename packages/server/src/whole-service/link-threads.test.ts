import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { localService } from '@granary/testing/server/local-service';
import { type Api, describeEmbeddedLinkService, siloNamed } from '@granary/testing/server/service';
import { connectAsync, type MqttClient } from 'mqtt';

const SILOS = '/v1/siloscale/devices';
/** With two threads it is very unlikely that all of these connections reach the same one. */
const CONNECTIONS = 12;
const READINGS = 40;

interface Device {
  readonly deviceId: string;
  readonly secret: string;
}

async function register(api: Api, deviceId: string): Promise<Device> {
  const { body } = await api.post(SILOS, siloNamed(deviceId));
  return { deviceId, secret: body.data.credentials.secret };
}

async function connect(t: TestContext, url: string, { deviceId, secret }: Device): Promise<MqttClient> {
  const login = { clientId: deviceId, username: deviceId, password: secret, reconnectPeriod: 0 };
  const client = await connectAsync(url, login, false);
  client.on('error', () => undefined);
  t.after(() => client.end(true));
  return client;
}

const linkOf = async (api: Api, deviceId: string) => (await api.get(`${SILOS}/${deviceId}/link`)).body.data;
const levelOf = async (api: Api, deviceId: string): Promise<number | null> =>
  (await api.get(`${SILOS}/${deviceId}/sensors`)).body.data.level.actual;

/** Every new connection ends the one before it, on whichever thread that is. */
async function takeOverAgain(t: TestContext, api: Api, urls: readonly string[]): Promise<void> {
  const device = await register(api, 'taken-over');
  const clients: MqttClient[] = [];
  for (let index = 0; index < CONNECTIONS; index++) {
    const client = await connect(t, urls[index % urls.length] ?? '', device);
    clients.push(client);
    const { connected, connects, takeovers } = await linkOf(api, 'taken-over');
    assert.deepEqual([connected, connects, takeovers], [true, index + 1, index]);
    await eventually(async () => clients.filter((one) => one.connected).length, 1);
    assert.equal(client.connected, true);
    await client.publishAsync(
      topicOf('taken-over', 'telemetry'),
      JSON.stringify({ ts: Date.now(), weight: 10 + index }),
      { qos: 1 },
    );
    assert.equal(await levelOf(api, 'taken-over'), 10 + index);
  }
  await clients.at(-1)?.subscribeAsync(topicOf('taken-over', 'command'), { qos: 1 });
  const started = await api.post(`${SILOS}/taken-over/operations/feed`, { amount: 1 });
  assert.equal(started.body.data.status, 'started', started.text);
}

/** Of several logins at the same time one session remains. */
async function takeOverAtOnce(t: TestContext, api: Api, urls: readonly string[]): Promise<void> {
  const device = await register(api, 'contended');
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, index) => connect(t, urls[index % urls.length] ?? '', device)),
  );
  await eventually(async () => clients.filter((one) => one.connected).length, 1);
  const { connected, connects, takeovers } = await linkOf(api, 'contended');
  assert.deepEqual([connected, connects, takeovers], [true, CONNECTIONS, CONNECTIONS - 1]);
  await clients.find((one) => one.connected)?.endAsync();
  await eventually(async () => (await linkOf(api, 'contended')).connected, false);
}

describe('with two threads', { timeout: 300_000 }, () => {
  if (process.platform !== 'linux') return;
  const { api } = localService({ env: { GRANARY_LINK_THREADS: '2', GRANARY_RATE_LIMIT: 'off' } });
  const urls = () => [api.started.mqttUrl, `${api.started.httpUrl.replace(/^http/, 'ws')}/mqtt`];

  test('a device that connects again loses its old connection, on whichever thread it is', (t) =>
    takeOverAgain(t, api, urls().slice(0, 1)));

  test('many connections of a device at the same time end with one', (t) => takeOverAtOnce(t, api, urls()));
});

describeEmbeddedLinkService('with a thread for the device link', (api) => {
  test('a device that changes between TCP and WebSocket has one session', async (t) => {
    await takeOverAgain(t, api, [api.started.mqttUrl, `${api.started.httpUrl.replace(/^http/, 'ws')}/mqtt`]);
  });

  test('a reading is shown as soon as the device is told that it is stored', async (t) => {
    const device = await register(api, 'shown');
    const client = await connect(t, api.started.mqttUrl, device);
    const tsMs = Date.now() - READINGS;
    for (let index = 0; index < READINGS; index++) {
      const reading = JSON.stringify({ ts: tsMs + index, weight: 1 + index });
      await client.publishAsync(topicOf('shown', 'telemetry'), reading, { qos: 1 });
      // The second one reads what the first one has cached.
      assert.deepEqual(await Promise.all([levelOf(api, 'shown'), levelOf(api, 'shown')]), [
        1 + index,
        1 + index,
      ]);
    }
  });

  test('a subscribed device can be started and stopped at once', async (t) => {
    for (let round = 0; round < 4; round++) {
      const silo = await startSilo(api, `started-${round}`);
      t.after(() => silo.leave());
      const { body } = await api.post(`${silo.path}/operations/feed`, { amount: 100 });
      assert.equal(body.data.status, 'started', JSON.stringify(body));
      const { operation_id: id } = await silo.take('start');
      await silo.ack({ operation_id: id, accepted: true });
      await api.post(`${silo.path}/operations/${id}/stop`);
      await silo.take('stop');
      await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 1 });
      const { data } = (await api.get(`${silo.path}/operations/${id}`)).body;
      assert.equal(data.status, 'stopped');
    }
  });

  test('a changed secret ends the session, and the old secret is refused', async (t) => {
    const device = await register(api, 'renewed');
    const client = await connect(t, api.started.mqttUrl, device);
    await api.post(`${SILOS}/renewed/credentials`);
    await eventually(async () => client.connected, false);
    await assert.rejects(connect(t, api.started.mqttUrl, device));
    assert.equal((await linkOf(api, 'renewed')).connected, false);
  });

  test('messages that cannot be used are stored as rejections and counted', async (t) => {
    const device = await register(api, 'faulty');
    const client = await connect(t, api.started.mqttUrl, device);
    const before = (await api.get('/readyz')).body.ingest.rejected_messages;
    await client.publishAsync(topicOf('faulty', 'telemetry'), 'not json', { qos: 1 });
    const undeclared = JSON.stringify({ ts: Date.now(), weight: 5, sensors: { co2: 400 } });
    await client.publishAsync(topicOf('faulty', 'telemetry'), undeclared, { qos: 1 });
    assert.equal((await linkOf(api, 'faulty')).rejections.total, 2);
    assert.equal((await api.get('/readyz')).body.ingest.rejected_messages - before, 2);
    assert.equal(await levelOf(api, 'faulty'), 5);
    const metrics = (await api.get('/metrics')).text;
    assert.match(metrics, /^granary_link_connected_devices [1-9]/m);
    assert.match(metrics, /^granary_ingest_messages_total [1-9]/m);
  });

  test('a sensor that has just been declared is used from the next message on', async (t) => {
    const device = await register(api, 'declared');
    const client = await connect(t, api.started.mqttUrl, device);
    const declared: object[] = [];
    for (const sensor_id of ['co2', 'ch4', 'nh3', 'o2']) {
      const publish = (value: number) =>
        client.publishAsync(
          topicOf('declared', 'telemetry'),
          JSON.stringify({ ts: Date.now(), weight: 5, sensors: { [sensor_id]: value } }),
          { qos: 1 },
        );
      await publish(1);
      const { total } = (await linkOf(api, 'declared')).rejections;
      declared.push({ sensor_id, type: 'co2', unit: 'ppm' });
      const patched = await api.patch(`${SILOS}/declared`, { sensors: declared });
      assert.equal(patched.status, 200, patched.text);
      await publish(2);
      assert.equal((await linkOf(api, 'declared')).rejections.total, total);
    }
  });
});
