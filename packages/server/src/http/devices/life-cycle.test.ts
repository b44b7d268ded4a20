import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSilo } from '@granary/testing/server/devices/scripted-silo';
import { EventReader } from '@granary/testing/server/event-reader';
import { eventually } from '@granary/testing/server/eventually';
import { describeService, siloNamed } from '@granary/testing/server/service';

const SILOS = '/v1/siloscale/devices';

describeService('the life cycle of a device over HTTP', (api) => {
  test('maintenance is shown while it lasts, and nothing may start', async () => {
    const silo = await startSilo(api, 'maintained');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const wanted = { on: true, reason: 'new motor', until };
    const begun = await api.post(`${silo.path}/maintenance`, wanted, { 'x-actor': 'Ada' });
    assert.equal(begun.status, 200);
    assert.equal(begun.body.data.status, 'maintenance');
    assert.partialDeepStrictEqual(begun.body.data.maintenance, {
      reason: 'new motor',
      until,
      by: { actor: 'Ada' },
    });
    const feed = await api.post(`${silo.path}/operations/feed`, { amount: 1 });
    assert.deepEqual([feed.status, feed.body.error.code], [409, 'device_in_maintenance']);
    const listed = (await api.get('/v1/devices?status=maintenance')).body.data;
    assert.deepEqual(
      listed.map(({ device_id }: { device_id: string }) => device_id),
      ['maintained'],
    );
    assert.equal((await api.get('/v1/overview')).body.data.devices.by_status.maintenance, 1);
    const over = await api.post(`${silo.path}/maintenance`, { on: false });
    assert.deepEqual([over.body.data.status, over.body.data.maintenance], ['online', undefined]);
    for (const body of [
      {},
      { on: true },
      { on: 'yes' },
      { on: true, reason: 'x', until: '2020-01-01T00:00:00Z' },
    ]) {
      assert.equal((await api.post(`${silo.path}/maintenance`, body)).status, 400, JSON.stringify(body));
    }
    const reader = api.as((await api.post('/v1/keys', { name: 'r', scopes: ['operate'] })).body.data.key);
    assert.equal((await reader.post(`${silo.path}/maintenance`, { on: false })).status, 403);
    await silo.leave();
  });

  test('a removed device is disconnected, cannot log in, and stays readable', async () => {
    const silo = await startSilo(api, 'removed');
    const removed = await api.delete(silo.path);
    assert.equal(removed.status, 200);
    const { removed_at } = removed.body.data;
    assert.ok(Date.parse(removed_at) <= Date.now());
    await eventually(async () => (await api.get(`${silo.path}/link`)).body.data.connected, false);
    await assert.rejects(silo.reconnect());
    assert.equal((await api.get(silo.path)).body.data.removed_at, removed_at);
    assert.equal((await api.get(`${silo.path}/sensors`)).body.data.level.current, 50);
    assert.equal((await api.get(`${silo.path}/alerts?status=all`)).status, 200);
    const ids = async (path: string) =>
      (await api.get(path)).body.data.map(({ device_id }: { device_id: string }) => device_id);
    assert.equal((await ids(SILOS)).includes('removed'), false);
    assert.equal((await ids('/v1/devices')).includes('removed'), false);
    assert.deepEqual(await ids('/v1/devices?removed=true'), ['removed']);
    assert.deepEqual((await api.delete(silo.path)).body.data.removed_at, removed_at);
  });

  test('every change of a removed device is refused', async () => {
    await api.post(SILOS, siloNamed('frozen'));
    const path = `${SILOS}/frozen`;
    assert.equal((await api.delete(path)).status, 200);
    const changes = [
      api.patch(path, { name: 'x' }),
      api.put(`${path}/config`, { thresholds: { low_level: 11 } }),
      api.post(`${path}/operations/feed`, { amount: 1 }),
      api.post(`${path}/maintenance`, { on: true, reason: 'x' }),
      api.post(`${path}/credentials`),
      api.post(`${path}/telemetry`, { ts: Date.now(), weight: 1 }),
    ];
    for (const { status, body } of await Promise.all(changes)) {
      assert.deepEqual([status, body.error.code], [409, 'device_removed']);
    }
    const again = await api.post(SILOS, siloNamed('frozen'));
    assert.deepEqual([again.status, again.body.error.code], [409, 'device_exists']);
    assert.match(
      again.body.error.message,
      /was removed at .* still has its records; bring it back with POST/,
    );
    const renamed = await api.patch(path, { name: 'x' });
    assert.match(renamed.body.error.message, /\/frozen\/restore or "granary device restore frozen"/);
    const device = { ...siloNamed('frozen'), profile: 'silo_scale' };
    const applied = await api.post('/v1/apply', { version: 1, devices: [device] });
    assert.deepEqual([applied.status, applied.body.error.code], [422, 'apply_refused']);
    assert.match(
      applied.body.error.message,
      /was removed; bring it back with .*"granary device restore frozen"/,
    );
  });

  test('a removed device is brought back with its records and a new secret', async () => {
    const silo = await startSilo(api, 'back');
    await api.put(`${silo.path}/config`, { thresholds: { low_level: 11 } });
    const events = await EventReader.open(api, { query: '?device_id=back&type=device.restored' });
    assert.equal((await api.delete(silo.path)).status, 200);
    const restore = (key: string) => api.post(`${silo.path}/restore`, undefined, { 'idempotency-key': key });
    const restored = await restore('once');
    assert.deepEqual([restored.status, restored.body.data.removed_at], [200, undefined]);
    const { secret } = restored.body.data.credentials;
    assert.equal((await restore('once')).body.data.credentials.secret, secret);
    const again = await restore('twice');
    assert.deepEqual([again.status, again.body.error.code], [409, 'device_not_removed']);
    await assert.rejects(silo.reconnect(), 'the old secret is not valid');
    await silo.reconnect({ password: secret });
    await silo.weigh(700);
    await eventually(async () => (await api.get(`${silo.path}/sensors`)).body.data.level.current, 70);
    assert.equal((await api.get(`${silo.path}/config`)).body.data.thresholds.low_level, 11);
    const ids = (await api.get(SILOS)).body.data.map(({ device_id }: { device_id: string }) => device_id);
    assert.ok(ids.includes('back'));
    assert.equal((await events.next())?.data.data.device_id, 'back');
    events.close();
    const { data } = (await api.get('/v1/audit?device_id=back&action=devices.restore&result=done')).body;
    assert.equal(data.length, 1);
    await silo.leave();
  });

  test('bringing a device back needs the scope, the limits and a purge that was not asked for', async () => {
    await api.post(SILOS, siloNamed('lost', 'hill'));
    const path = `${SILOS}/lost`;
    await api.delete(path);
    const as = async (limits: object) =>
      api.as((await api.post('/v1/keys', { name: 'k', ...limits })).body.data.key);
    assert.equal(
      (await (await as({ scopes: ['configure', 'operate'] })).post(`${path}/restore`)).status,
      403,
    );
    for (const limits of [{ facilities: ['dale'] }, { device_ids: ['other'] }]) {
      const key = await as({ scopes: ['admin'], ...limits });
      assert.equal((await key.post(`${path}/restore`)).status, 404);
    }
    assert.equal((await api.post('/v1/fielddevice/devices/lost/restore')).status, 404);
    const hill = await as({ scopes: ['admin'], facilities: ['hill'] });
    assert.equal((await hill.post(`${path}/restore`)).status, 200);
    assert.equal((await api.delete(`${path}?purge=true`)).status, 200);
    const refused = await api.post(`${path}/restore`);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'device_removed']);
    assert.match(refused.body.error.message, /its records are being removed/);
  });

  test('a busy device is not removed', async () => {
    const silo = await startSilo(api, 'busy');
    await api.post(`${silo.path}/operations/feed`, { amount: 10 });
    const refused = await api.delete(silo.path);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'device_busy']);
    assert.match(refused.body.error.message, /Feed 10 kg \(started\); end it first$/);
    assert.equal((await api.delete(`${SILOS}/nobody`)).status, 404);
    await silo.leave();
  });

  test('a device that sends while it is removed loses nothing that was acknowledged, and harms no other', async () => {
    const silo = await startSilo(api, 'sending');
    const neighbour = await startSilo(api, 'neighbour');
    let acknowledged = 0;
    let isRemoved = false;
    const sending = (async () => {
      while (!isRemoved) {
        await Promise.race([
          silo.publish('telemetry', { ts: silo.ts(), weight: 500 }).then(
            () => acknowledged++,
            () => undefined,
          ),
          new Promise((resolve) => setTimeout(resolve, 1_000)),
        ]);
      }
    })();
    await eventually(async () => acknowledged > 5, true);
    assert.equal((await api.delete(silo.path)).status, 200);
    isRemoved = true;
    await sending;
    await neighbour.weigh(700);
    await eventually(async () => (await api.get(`${neighbour.path}/sensors`)).body.data.level.current, 70);
    assert.equal((await api.get(silo.path)).body.data.removed_at !== undefined, true);
    await silo.leave();
    await neighbour.leave();
  });
});
