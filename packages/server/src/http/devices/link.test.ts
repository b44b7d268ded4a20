import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@granary/client';
import { checker } from '@granary/contract/input/schema';
import { LinkStatus } from '@granary/contract/link/link-status';
import { topicOf } from '@granary/contract/link/messages';
import { eventually } from '@granary/testing/server/eventually';
import { type Api, describeEmbeddedLinkService, siloNamed } from '@granary/testing/server/service';
import { connectAsync, type IClientOptions } from 'mqtt';

const checkLinkStatus = checker(LinkStatus);

async function register(api: Api, deviceId: string): Promise<string> {
  const registered = await api.post('/v1/siloscale/devices', siloNamed(deviceId));
  return registered.body.data.credentials.secret;
}

const connect = (api: Api, deviceId: string, password: string, more: IClientOptions = {}) =>
  connectAsync(
    api.started.mqttUrl,
    { clientId: deviceId, username: deviceId, password, reconnectPeriod: 0, ...more },
    false,
  );

async function linkOf(api: Api, deviceId: string): Promise<LinkStatus> {
  const { status, body } = await api.get(`/v1/siloscale/devices/${deviceId}/link`);
  assert.equal(status, 200);
  assert.deepEqual(checkLinkStatus.faults(body.data), []);
  return body.data;
}

describeEmbeddedLinkService('the link of a device over HTTP', (api) => {
  test('a device that never connected', async () => {
    await register(api, 'never');
    assert.deepEqual(await linkOf(api, 'never'), {
      connected: false,
      connected_since: null,
      session: null,
      remote_address: null,
      subscribed: false,
      connects: 0,
      takeovers: 0,
      messages: { in: 0, out: 0, unacknowledged: 0 },
      dropped: { expired: 0, not_connected: 0 },
      refused_logins: { total: 0, last: null },
      rejections: { total: 0 },
      faults: { total: 0 },
      last_fault: null,
      last_disconnect: null,
    });
  });

  test('session, messages, configuration, takeover, fault and disconnect are shown', async (t) => {
    const secret = await register(api, 'silo-1');
    const first = await connect(api, 'silo-1', secret, { clean: false });
    t.after(() => first.end(true));
    const configurations: string[] = [];
    first.on('message', (_topic, payload) => configurations.push(payload.toString()));
    assert.equal((await linkOf(api, 'silo-1')).subscribed, false);
    await first.subscribeAsync([topicOf('silo-1', 'command'), topicOf('silo-1', 'config')], { qos: 1 });
    await first.publishAsync(topicOf('silo-1', 'telemetry'), 'not json', { qos: 1 });
    await eventually(async () => configurations.length, 1);
    await eventually(async () => (await linkOf(api, 'silo-1')).messages.unacknowledged, 0);
    const link = await linkOf(api, 'silo-1');
    assert.equal(link.connected, true);
    assert.equal(link.session, 'persistent');
    assert.equal(link.subscribed, true);
    assert.match(link.remote_address ?? '', /127\.0\.0\.1$/);
    assert.deepEqual(link.messages, { in: 1, out: 1, unacknowledged: 0 });
    assert.deepEqual(link.rejections, { total: 1 });
    assert.ok(Math.abs(Date.parse(link.connected_since ?? '') - Date.now()) < 60_000);

    const second = await connect(api, 'silo-1', secret);
    second.on('error', () => undefined);
    t.after(() => second.end(true));
    const taken = await linkOf(api, 'silo-1');
    assert.deepEqual([taken.connects, taken.takeovers, taken.session], [2, 1, 'clean']);
    assert.equal(taken.last_disconnect?.reason, 'replaced');
    second.publish('granary/v1/silo-2/telemetry', '{}', { qos: 1 });
    await eventually(async () => (await linkOf(api, 'silo-1')).connected, false);
    const cut = await linkOf(api, 'silo-1');
    assert.equal(cut.last_disconnect?.reason, 'closed');
    assert.match(cut.last_fault?.message ?? '', /topic is not this device/);
    assert.equal(cut.faults.total, 1);
  });

  test('a wrong secret is counted for the device that it was tried on, and shown to the client', async () => {
    await register(api, 'guessed');
    await assert.rejects(connect(api, 'guessed', 'wrong'));
    const client = createClient({ baseUrl: api.started.httpUrl, apiKey: api.started.adminKey.key });
    const { refused_logins: refused, connects } = await client.devices.silo.link('guessed');
    assert.equal(refused.total, 1);
    assert.match(refused.last?.reason ?? '', /wrong secret/);
    assert.equal(connects, 0);
  });

  test('an unknown device, and one of the other group, are 404', async () => {
    await register(api, 'silo-9');
    assert.equal((await api.get('/v1/siloscale/devices/nobody/link')).status, 404);
    assert.equal((await api.get('/v1/fielddevice/devices/silo-9/link')).status, 404);
  });
});
