import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { connect } from 'mqtt';
import { eventually } from '../../testing/eventually.ts';
import { type Api, describeLinkService, siloNamed } from '../../testing/service.ts';

interface Login {
  readonly username: string;
  readonly secret: string;
}

async function register(api: Api, deviceId: string): Promise<Login> {
  return (await api.post('/v1/siloscale/devices', siloNamed(deviceId))).body.data.credentials;
}

describeLinkService('a configuration on its way to the device', (api) => {
  test('arrives once per connection, whether the session is new, resumed, or subscribes again', async (t) => {
    const login = await register(api, 'silo-1');
    const topics = [topicOf('silo-1', 'config'), topicOf('silo-1', 'command')];
    for (const round of [0, 1, 2]) {
      const versions: number[] = [];
      const client = connect(api.started.mqttUrl, {
        ...{ clientId: 'silo-1', username: login.username, password: login.secret },
        ...{ clean: false, reconnectPeriod: 0 },
      });
      t.after(() => client.end(true));
      client.on('message', (_topic, payload) => versions.push(JSON.parse(payload.toString()).version));
      await new Promise<void>((resolve) => client.once('connect', () => resolve()));
      // The resumed session of the second round holds its subscriptions; the third subscribes once more.
      if (round !== 1) await client.subscribeAsync(topics, { qos: 1 });
      await client.publishAsync(topicOf('silo-1', 'status'), '{"state":"online"}', { qos: 1 });
      await eventually(async () => versions.length, 1);
      const changed = await api.put('/v1/siloscale/devices/silo-1/config', {
        thresholds: { high_level: 80 + round },
      });
      assert.equal(changed.status, 200);
      await eventually(async () => versions.length, 2);
      await client.publishAsync(topicOf('silo-1', 'status'), '{"state":"online"}', { qos: 1 });
      assert.equal(versions.length, 2);
      assert.equal(changed.headers.get('etag'), `"${versions[1]}"`);
      client.stream.destroy();
      await eventually(
        async () => (await api.get('/v1/siloscale/devices/silo-1/link')).body.data.connected,
        false,
      );
    }
  });

  test('has no threshold rules, which only the service applies', async (t) => {
    const { username, secret } = await register(api, 'silo-2');
    const rule = { sensor_id: 'temperature', above: 30, severity: 'warning' };
    const { body } = await api.put('/v1/siloscale/devices/silo-2/config', { rules: [rule] });
    assert.deepEqual(body.data.rules, [rule]);
    const client = connect(api.started.mqttUrl, { clientId: 'silo-2', username, password: secret });
    t.after(() => client.end(true));
    const received = new Promise<string>((resolve) => {
      client.once('message', (_topic, payload) => resolve(payload.toString()));
    });
    await client.subscribeAsync(topicOf('silo-2', 'config'), { qos: 1 });
    const { rules: _, ...sent } = body.data;
    assert.deepEqual(JSON.parse(await received), { version: 2, ...sent });
  });
});
