import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRover } from '@granary/testing/server/devices/scripted-rover';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { eventually } from '@granary/testing/server/eventually';
import { WAYPOINT } from '@granary/testing/server/missions';
import { describeService, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';
const FEED = { amount: 10 };
const withKey = (key: string) => ({ 'idempotency-key': key });

describeService('Idempotency-Key', (api) => {
  test('a start that is repeated is carried out once and has the same answer', async () => {
    const silo = await startSilo(api, 'repeated');
    const first = await api.post(`${silo.path}/operations/feed`, FEED, withKey('start-1'));
    const again = await api.post(`${silo.path}/operations/feed`, FEED, withKey('start-1'));
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual([again.status, again.text], [200, first.text]);
    await silo.take('start');
    const other = await api.post(`${silo.path}/operations/feed`, { amount: 11 }, withKey('start-1'));
    assert.deepEqual([other.status, other.body.error.code], [422, 'idempotency_key_reused']);
    assert.equal(silo.commands.length, 1);
    await silo.leave();
  });

  test('of many requests at once one is carried out, the others get its answer or idempotency_in_progress', async () => {
    const silo = await startSilo(api, 'parallel');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.post(`${silo.path}/operations/feed`, FEED, withKey('start-2'))),
    );
    const ids = new Set<string>();
    for (const { status, body } of answers) {
      if (status === 200) ids.add(body.data.operation_id);
      else assert.deepEqual([status, body.error.code], [409, 'idempotency_in_progress']);
    }
    assert.equal(ids.size, 1);
    await silo.take('start');
    assert.equal(silo.commands.length, 1);
    await silo.leave();
  });

  test('a refused request is not stored under its key', async () => {
    const silo = await startSilo(api, 'refused');
    const refused = await api.post(`${silo.path}/operations/feed`, { amount: 9_999 }, withKey('start-3'));
    assert.equal(refused.status, 422);
    assert.equal(
      (await api.post(`${silo.path}/operations/feed`, { amount: -1 }, withKey('start-3'))).status,
      400,
    );
    assert.equal((await api.post(`${silo.path}/operations/feed`, FEED, withKey('start-3'))).status, 200);
    await silo.leave();
  });

  test('secrets are repeated to the same caller, and differ for another caller', async () => {
    const registered = await api.post(SILOS, siloNamed('secrets'), withKey('device'));
    const again = await api.post(SILOS, siloNamed('secrets'), withKey('device'));
    assert.deepEqual(again.body, registered.body);
    assert.ok(again.body.data.credentials.secret);

    const renewed = await api.post(`${SILOS}/secrets/credentials`, undefined, withKey('renew'));
    const renewedAgain = await api.post(`${SILOS}/secrets/credentials`, undefined, withKey('renew'));
    assert.deepEqual(renewedAgain.body, renewed.body);
    assert.notEqual(renewed.body.data.secret, registered.body.data.credentials.secret);

    const request = { name: 'k', scopes: ['admin'] };
    const issued = await api.post('/v1/keys', request, withKey('key'));
    assert.deepEqual((await api.post('/v1/keys', request, withKey('key'))).body, issued.body);
    const other = api.as(issued.body.data.key);
    assert.notEqual(
      (await other.post('/v1/keys', request, withKey('key'))).body.data.key,
      issued.body.data.key,
    );
    const rotate = `/v1/keys/${issued.body.data.key_id}/rotate`;
    const rotated = await api.post(rotate, {}, withKey('rotate'));
    assert.deepEqual((await api.post(rotate, {}, withKey('rotate'))).body, rotated.body);
  });

  test('readings are stored once', async () => {
    await api.post(SILOS, siloNamed('repeated-readings'));
    const reading = { ts: Date.now(), weight: 100 };
    const first = await api.post(`${SILOS}/repeated-readings/telemetry`, reading, withKey('reading'));
    const again = await api.post(`${SILOS}/repeated-readings/telemetry`, reading, withKey('reading'));
    assert.deepEqual([first.status, first.body.data], [200, { stored: 1 }]);
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.equal(first.headers.get('idempotency-replayed'), null);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const counts = await api.get(`${SILOS}/repeated-readings/sensors/history?interval=5m&aggregate=count`);
    assert.deepEqual(
      counts.body.data.points.map(({ value }: { value: number }) => value),
      [1],
    );
  });

  test('a repetition has the same answer although a time in the request has passed', async () => {
    const silo = await startSilo(api, 'late', 150);
    const rover = await startRover(api, 'late-rover');
    const alerts = async () => (await api.get(`${silo.path}/alerts`)).body.data;
    await eventually(async () => (await alerts()).length, 1);
    const alertId = (await alerts())[0].alert_id;
    const soon = new Date(Date.now() + 1_500).toISOString();
    const almostTooLate = new Date(Date.now() - 58_500).toISOString();
    const mission = { mission_name: 'm', waypoints: [WAYPOINT], scheduled_start: almostTooLate };
    const requests: readonly (readonly [string, object, string])[] = [
      ['/v1/keys', { name: 'k', scopes: ['read'], expires_at: soon }, 'late-key'],
      [`${silo.path}/alerts/${alertId}/shelve`, { until: soon, reason: 'r' }, 'late-shelving'],
      [`${rover.path}/missions`, mission, 'late-mission'],
    ];
    const firsts = await Promise.all(requests.map(([path, body, key]) => api.post(path, body, withKey(key))));
    for (const { status, text } of firsts) assert.equal(status, 200, text);
    await sleep(2_000);
    for (const [index, [path, body, key]] of requests.entries()) {
      const again = await api.post(path, body, withKey(key));
      assert.deepEqual([again.status, again.text], [200, firsts[index]?.text], path);
      assert.equal((await api.post(path, body, withKey(`${key}-new`))).status, 400, path);
    }
    await silo.leave();
    await rover.leave();
  });

  for (const key of ['x'.repeat(256), 'caf\u00e9', 'tab\there']) {
    test(`a key like ${JSON.stringify(key.slice(0, 10))} is refused`, async () => {
      const refused = await api.post('/v1/keys', { name: 'k', scopes: ['read'] }, withKey(key));
      assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_input']);
    });
  }
});
