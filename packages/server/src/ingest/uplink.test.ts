import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { eventually } from '../testing/eventually.ts';
import { type Api, describeLinkService, siloNamed } from '../testing/service.ts';

const SILOS = '/v1/siloscale/devices';

async function connectSilo(api: Api, deviceId: string, options: IClientOptions = {}): Promise<MqttClient> {
  const registered = await api.post(SILOS, siloNamed(deviceId));
  const { username, secret } = registered.body.data.credentials;
  return connectAsync(api.started.mqttUrl, {
    clientId: username,
    username,
    password: secret,
    reconnectPeriod: 0,
    ...options,
  });
}

const nextMessage = (device: MqttClient) =>
  new Promise<{ topic: string; payload: string }>((resolve) => {
    device.once('message', (topic, payload) => resolve({ topic, payload: payload.toString() }));
  });

describeLinkService('devices on the link', (api) => {
  const statusOf = async (deviceId: string): Promise<string> =>
    (await api.get(`${SILOS}/${deviceId}`)).body.data.status;
  const rejectionsOf = async (deviceId: string) =>
    (await api.get(`${SILOS}/${deviceId}/rejections`)).body.data;

  test('a published reading is in the answers as soon as it is acknowledged', async () => {
    const device = await connectSilo(api, 'live');
    const ts = Date.now();
    await device.publishAsync(topicOf('live', 'telemetry'), JSON.stringify({ ts, weight: 250 }), { qos: 1 });
    const { level, humidity } = (await api.get(`${SILOS}/live/sensors`)).body.data;
    assert.equal(level.current, 25);
    assert.equal(level.timestamp, new Date(ts).toISOString());
    assert.equal(humidity.current, null);
    await device.endAsync();
  });

  test('the status follows the session, the reported state and the last will', async () => {
    const will = {
      topic: topicOf('will', 'status'),
      payload: Buffer.from('{"state":"offline"}'),
      qos: 1,
      retain: true,
    } as const;
    const device = await connectSilo(api, 'will', { will });
    await eventually(() => statusOf('will'), 'online');
    await device.publishAsync(topicOf('will', 'status'), '{"state":"maintenance"}', { qos: 1, retain: true });
    assert.equal(await statusOf('will'), 'maintenance');
    await device.publishAsync(topicOf('will', 'status'), '{"state":"online"}', { qos: 1, retain: true });
    assert.equal(await statusOf('will'), 'online');
    device.stream.destroy();
    await eventually(() => statusOf('will'), 'offline');
  });

  test('after a clean disconnect a device is online until its last message is too old', async () => {
    const device = await connectSilo(api, 'clean-disconnect');
    await eventually(() => statusOf('clean-disconnect'), 'online');
    await device.endAsync();
    await api.put(`${SILOS}/clean-disconnect/config`, { reporting: { interval_s: 0.5 } });
    assert.equal(await statusOf('clean-disconnect'), 'online');
    await eventually(() => statusOf('clean-disconnect'), 'offline');
  });

  test('invalid messages are acknowledged, counted and listed; valid readings in the same message are stored', async () => {
    const device = await connectSilo(api, 'invalid-messages');
    const publish = (payload: string) =>
      device.publishAsync(topicOf('invalid-messages', 'telemetry'), payload, { qos: 1 });
    await publish('not json');
    await publish('{"ts":1,"weight":1,"colour":"green"}');
    await publish(
      JSON.stringify([
        { ts: Date.now(), weight: 500 },
        { ts: Date.now() + 86_400_000, weight: 900 },
      ]),
    );
    const { total, recent } = await rejectionsOf('invalid-messages');
    assert.equal(total, 3);
    assert.match(recent[0].reason, /future/);
    assert.match(recent[1].reason, /colour/);
    assert.match(recent[2].payload, /not json/);
    assert.equal((await api.get(`${SILOS}/invalid-messages/sensors`)).body.data.level.actual, 500);
    await device.endAsync();
  });

  test('the configuration is sent to the device when it subscribes and when it changes', async () => {
    const device = await connectSilo(api, 'configured');
    const received = nextMessage(device);
    await device.subscribeAsync(topicOf('configured', 'config'), { qos: 1 });
    const { topic, payload } = await received;
    assert.equal(topic, topicOf('configured', 'config'));
    assert.deepEqual(JSON.parse(payload).thresholds, { low_level: 20, high_level: 90, critical_level: 10 });
    const changed = nextMessage(device);
    await api.put(`${SILOS}/configured/config`, { thresholds: { low_level: 33 } });
    assert.equal(JSON.parse((await changed).payload).thresholds.low_level, 33);
    await device.endAsync();
  });

  test('new credentials close the connection and invalidate the old secret', async () => {
    const device = await connectSilo(api, 'renewed');
    const closed = new Promise<void>((resolve) => device.once('close', () => resolve()));
    const { secret } = (await api.post(`${SILOS}/renewed/credentials`)).body.data;
    await closed;
    const login = (password: string) =>
      connectAsync(api.started.mqttUrl, {
        clientId: 'renewed',
        username: 'renewed',
        password,
        reconnectPeriod: 0,
      });
    await assert.rejects(login(String(device.options.password)));
    await (await login(secret)).endAsync();
  });
});
