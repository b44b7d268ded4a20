import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { registerSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import {
  type Api,
  describeEmbeddedLinkService,
  describeLinkService,
  siloNamed,
} from '@granary/testing/server/service';
import { connect } from 'mqtt';

interface Login {
  readonly username: string;
  readonly secret: string;
}

async function register(api: Api, deviceId: string): Promise<Login> {
  return (await api.post('/v1/siloscale/devices', siloNamed(deviceId))).body.data.credentials;
}

describeEmbeddedLinkService('a configuration on its way to the device', (api) => {
  test('arrives once per connection, whether the session is new, resumed, or subscribes again', async (t) => {
    const login = await register(api, 'silo-1');
    const topics = [topicOf('silo-1', 'config'), topicOf('silo-1', 'command')];
    for (const round of [0, 1, 2]) {
      const versions: number[] = [];
      const client = connect(api.started.mqttUrl, {
        clientId: 'silo-1',
        username: login.username,
        password: login.secret,
        clean: false,
        reconnectPeriod: 0,
      });
      t.after(() => client.end(true));
      client.on('message', (_topic, payload) => versions.push(JSON.parse(payload.toString()).version));
      await new Promise<void>((resolve) => client.once('connect', () => resolve()));
      // The session that is resumed in the second round still has its subscriptions; the third round subscribes once more.
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
});

describeLinkService('a configuration at the device', (api) => {
  const rule = { sensor_id: 'temperature', above: 30, severity: 'warning' };

  test('has no threshold rules, which only the service applies', async () => {
    const silo = await registerSilo(api, 'silo-2');
    const { body } = await api.put(`${silo.path}/config`, { rules: [rule] });
    assert.deepEqual(body.data.rules, [rule]);
    await silo.reconnect();
    await silo.subscribeToConfigurations();
    await eventually(async () => silo.configurations.length > 0, true);
    const { rules: _, ...sent } = body.data;
    assert.deepEqual(silo.configurations.at(-1), { version: 2, ...sent });
    await silo.leave();
  });

  test('is the newest one after many changes at once, and after each reconnect', async () => {
    const silo = await registerSilo(api, 'silo-3');
    const newest = async (): Promise<number> => silo.configurations.at(-1)?.thresholds.high_level;
    for (const round of [0, 1, 2]) {
      await silo.reconnect();
      await silo.subscribeToConfigurations();
      const levels = Array.from({ length: 8 }, (_, index) => 60 + 10 * round + index);
      await Promise.all(
        levels.map((high_level) => api.put(`${silo.path}/config`, { thresholds: { high_level } })),
      );
      const { version, data } = await stored(silo.path);
      await eventually(async () => silo.configurations.at(-1)?.version, version);
      assert.equal(await newest(), data.thresholds.high_level);
      await silo.dropConnection();
      const changed = await api.put(`${silo.path}/config`, { thresholds: { high_level: 95 - round } });
      assert.equal(changed.status, 200);
      await silo.reconnect();
      await silo.subscribeToConfigurations();
      await eventually(newest, 95 - round);
      await silo.dropConnection();
    }
  });

  const stored = async (path: string) => {
    const { headers, body } = await api.get(`${path}/config`);
    return { version: Number(headers.get('etag')?.replaceAll('"', '')), data: body.data };
  };
});
