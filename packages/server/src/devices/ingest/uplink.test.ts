import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { registerSilo, startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { describeLinkService } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';

describeLinkService('devices on the link', (api) => {
  const statusOf = async (deviceId: string): Promise<string> =>
    (await api.get(`${SILOS}/${deviceId}`)).body.data.status;
  const rejectionsOf = async (deviceId: string) =>
    (await api.get(`${SILOS}/${deviceId}/rejections`)).body.data;

  test('a published reading is in the answers as soon as it is acknowledged', async () => {
    const device = await startSilo(api, 'live', null);
    const ts = Date.now();
    await device.publish('telemetry', { ts, weight: 250 });
    const { level, humidity } = (await api.get(`${SILOS}/live/sensors`)).body.data;
    assert.equal(level.current, 25);
    assert.equal(level.timestamp, new Date(ts).toISOString());
    assert.equal(humidity.current, null);
    await device.leave();
  });

  test('the status follows the session, the reported state and the last will', async () => {
    const will = {
      topic: topicOf('will', 'status'),
      payload: Buffer.from('{"state":"offline"}'),
      qos: 1,
      retain: true,
    } as const;
    const device = await registerSilo(api, 'will');
    await device.reconnect({ will });
    await eventually(() => statusOf('will'), 'online');
    await device.publish('status', { state: 'maintenance' });
    assert.equal(await statusOf('will'), 'maintenance');
    await device.publish('status', { state: 'online' });
    assert.equal(await statusOf('will'), 'online');
    await device.dropConnection();
    await eventually(() => statusOf('will'), 'offline');
  });

  test('after a clean disconnect a device is online until its last message is too old', async () => {
    const device = await startSilo(api, 'clean-disconnect');
    await eventually(() => statusOf('clean-disconnect'), 'online');
    await device.disconnect();
    await api.put(`${SILOS}/clean-disconnect/config`, { reporting: { interval_s: 0.5 } });
    assert.equal(await statusOf('clean-disconnect'), 'online');
    await eventually(() => statusOf('clean-disconnect'), 'offline');
  });

  test('invalid messages are acknowledged, counted and listed; valid readings in the same message are stored', async () => {
    const device = await startSilo(api, 'invalid-messages', null);
    await device.publish('telemetry', 'not json');
    await device.publish('telemetry', '{"ts":1,"weight":1,"colour":"green"}');
    await device.publish('telemetry', [
      { ts: Date.now(), weight: 500 },
      { ts: Date.now() + 86_400_000, weight: 900 },
    ]);
    const { total, recent } = await rejectionsOf('invalid-messages');
    assert.equal(total, 3);
    assert.match(recent[0].reason, /future/);
    assert.match(recent[1].reason, /colour/);
    assert.match(recent[2].payload, /not json/);
    assert.equal((await api.get(`${SILOS}/invalid-messages/sensors`)).body.data.level.actual, 500);
    await device.leave();
  });

  test('the configuration is sent to the device when it subscribes and when it changes', async () => {
    const device = await startSilo(api, 'configured', null);
    await device.subscribeToConfigurations();
    const thresholds = async () => device.configurations.at(-1)?.thresholds;
    await eventually(async () => (await thresholds())?.low_level, 20);
    assert.deepEqual(await thresholds(), { low_level: 20, high_level: 90, critical_level: 10 });
    await api.put(`${SILOS}/configured/config`, { thresholds: { low_level: 33 } });
    await eventually(async () => (await thresholds())?.low_level, 33);
    await device.leave();
  });

  test('new credentials close the connection and invalidate the old secret', async () => {
    const device = await startSilo(api, 'renewed');
    const closed = device.closed();
    const { secret } = (await api.post(`${SILOS}/renewed/credentials`)).body.data;
    await closed;
    await assert.rejects(device.reconnect());
    await device.reconnect({ password: secret });
    await device.weigh(400);
    await device.leave();
  });
});
