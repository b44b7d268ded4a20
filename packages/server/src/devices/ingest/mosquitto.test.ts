import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { topicOf } from '@granary/contract/link/messages';
import { describeEmbeddedLinkService, siloNamed } from '@granary/testing/server/service';

const run = promisify(execFile);
const without = process.env['GRANARY_TEST_WITHOUT']?.includes('mosquitto')
  ? 'mosquitto_pub is not installed here'
  : false;

describeEmbeddedLinkService('a third-party client', (api) => {
  test('mosquitto_pub changes what the sensors endpoint answers, with the right secret only', {
    skip: without,
  }, async () => {
    const registered = await api.post('/v1/siloscale/devices', siloNamed('foreign'));
    const { username, secret } = registered.body.data.credentials;
    const { hostname, port } = new URL(api.started.mqttUrl);
    const publish = (weight: number, password: string) => {
      const payload = JSON.stringify({ ts: Date.now(), weight });
      const address = ['-h', hostname, '-p', port, '-i', username, '-u', username, '-P', password];
      const message = ['-t', topicOf('foreign', 'telemetry'), '-q', '1', '-m', payload];
      return run('mosquitto_pub', [...address, ...message], { timeout: 120_000 });
    };
    const actual = async () =>
      (await api.get('/v1/siloscale/devices/foreign/sensors')).body.data.level.actual;

    await publish(321, secret);
    assert.equal(await actual(), 321);
    const device = async () => (await api.get('/v1/siloscale/devices/foreign')).body.data.status;
    const alerts = async () => (await api.get('/v1/siloscale/devices/foreign/alerts?status=all')).body.data;
    // Several rounds of the reconciler after the client has left.
    await setTimeout(1_500);
    assert.deepEqual([await device(), await alerts()], ['online', []]);
    await assert.rejects(publish(999, 'wrong'), /not authori[sz]ed|refused|bad user/i);
    assert.equal(await actual(), 321);
  });
});
