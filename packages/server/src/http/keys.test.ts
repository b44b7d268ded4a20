import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SCOPES, type Scope } from '@granary/contract/keys';
import { eventually } from '@granary/testing/server/eventually';
import { describeRequests, fieldDeviceNamed, siloNamed } from '@granary/testing/server/service';

const later = (ms: number) => new Date(Date.now() + ms).toISOString();

describeRequests('keys over HTTP', (api) => {
  const silos = '/v1/siloscale/devices';
  const issue = async (fields: object) =>
    (await api.post('/v1/keys', { name: 'k', scopes: ['read'], ...fields })).body.data;

  before(async () => {
    await api.post(silos, siloNamed('north-1', 'north'));
    await api.post(silos, siloNamed('south-1', 'south'));
  });

  test('a key is shown once and works', async () => {
    const issued = await issue({ name: 'dashboard' });
    assert.match(issued.key, /^gk_[0-9A-Za-z]{46}$/);
    assert.equal((await api.as(issued.key).get(silos)).status, 200);
    const listed = await api.get('/v1/keys');
    assert.equal(listed.text.includes(issued.key), false);
    const find = async () =>
      (await api.get('/v1/keys')).body.data.find((key: { key_id: string }) => key.key_id === issued.key_id);
    assert.equal((await find()).name, 'dashboard');
    await eventually(async () => (await find()).last_used_at !== null, true);
  });

  const uses: Record<Scope, (key: string) => Promise<{ status: number }>> = {
    read: (key) => api.as(key).get(silos),
    stop: (key) => api.as(key).post(`${silos}/north-1/operations/op_nothing/stop`),
    propose: (key) => api.as(key).post(`${silos}/nobody/proposals/feed`, { amount: 1 }),
    operate: (key) => api.as(key).post(`${silos}/north-1/alerts/al_nothing/acknowledge`, {}),
    configure: (key) => api.as(key).put(`${silos}/north-1/config`, {}),
    ingest: (key) => api.as(key).post(`${silos}/north-1/telemetry`, { ts: Date.now(), weight: 1 }),
    admin: (key) => api.as(key).get('/v1/keys'),
  };
  for (const scope of SCOPES) {
    test(`${scope} is needed and sufficient for the requests of ${scope}`, async () => {
      // The scope `operate` includes `stop` and `propose`.
      const isIncluded = scope === 'stop' || scope === 'propose';
      const others = SCOPES.filter((other) => other !== scope && !(isIncluded && other === 'operate'));
      const without = await uses[scope]((await issue({ scopes: others })).key);
      assert.equal(without.status, 403);
      // There is no such alert or operation, but the key is accepted.
      const allowed = scope === 'operate' || isIncluded ? 404 : 200;
      assert.equal((await uses[scope]((await issue({ scopes: [scope] })).key)).status, allowed);
    });
  }

  test('a key that may only stop cannot give other commands, and one that operates can stop', async () => {
    const path = '/v1/fielddevice/devices/rover-of-stops/remote/command';
    await api.post('/v1/fielddevice/devices', fieldDeviceNamed('rover-of-stops'));
    const command = (key: string, name: string) => api.as(key).post(path, { command: name });
    const { key: stops } = await issue({ scopes: ['stop'] });
    assert.equal((await command(stops, 'emergency_stop')).status, 200);
    assert.equal((await command(stops, 'hold')).status, 403);
    assert.equal((await api.as(stops).post(path, {})).status, 403);
    assert.equal((await command((await issue({ scopes: ['operate'] })).key, 'emergency_stop')).status, 200);
    assert.equal((await command((await issue({ scopes: ['read'] })).key, 'emergency_stop')).status, 403);
  });

  test('a device outside the facilities of a key is not found', async () => {
    const north = api.as((await issue({ facilities: ['north'], scopes: [...SCOPES] })).key);
    const ids = (await north.get(silos)).body.data.map((device: { device_id: string }) => device.device_id);
    assert.deepEqual(ids, ['north-1']);
    for (const path of ['', '/sensors', '/sensors/history', '/config', '/rejections']) {
      assert.equal((await north.get(`${silos}/south-1${path}`)).status, 404, path);
      assert.equal((await north.get(`${silos}/north-1${path}`)).status, 200, path);
    }
    assert.equal((await north.put(`${silos}/south-1/config`, {})).status, 404);
    assert.equal((await north.post(`${silos}/south-1/telemetry`, { ts: Date.now(), weight: 1 })).status, 404);
    assert.equal((await north.post(silos, siloNamed('south-2', 'south'))).status, 403);
    assert.equal((await north.get('/v1/keys')).status, 403);
    assert.equal((await north.post('/v1/keys', { name: 'mine', scopes: ['admin'] })).status, 403);
  });

  test('a key limited to devices finds only those', async () => {
    const one = api.as((await issue({ device_ids: ['south-1'] })).key);
    assert.equal((await one.get(`${silos}/south-1`)).status, 200);
    assert.equal((await one.get(`${silos}/north-1`)).status, 404);
    assert.equal((await one.get(silos)).body.data.length, 1);
  });

  test('a revoked key is refused immediately, and can be revoked again', async () => {
    const { key, key_id } = await issue({});
    assert.equal((await api.as(key).get(silos)).status, 200);
    assert.equal((await api.delete(`/v1/keys/${key_id}`)).status, 200);
    assert.equal((await api.as(key).get(silos)).status, 401);
    assert.equal((await api.delete(`/v1/keys/${key_id}`)).status, 200);
    assert.equal((await api.delete('/v1/keys/key_unknown')).status, 404);
  });

  test('a rotated key works beside its successor until the overlap ends', async () => {
    const old = await issue({ facilities: ['north'] });
    const rotated = await api.post(`/v1/keys/${old.key_id}/rotate`, { overlap_seconds: 60 });
    assert.equal(rotated.status, 200);
    assert.deepEqual(rotated.body.data.facilities, ['north']);
    assert.equal((await api.as(old.key).get(silos)).status, 200);
    assert.equal((await api.as(rotated.body.data.key).get(silos)).status, 200);
    const again = await api.post(`/v1/keys/${rotated.body.data.key_id}/rotate`, { overlap_seconds: 0 });
    assert.equal((await api.as(rotated.body.data.key).get(silos)).status, 401);
    assert.equal((await api.as(again.body.data.key).get(silos)).status, 200);
    assert.equal((await api.post('/v1/keys/key_unknown/rotate', {})).status, 404);
  });

  test('an expired key is refused', async () => {
    const { key } = await issue({ expires_at: later(1_500) });
    assert.equal((await api.as(key).get(silos)).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    assert.equal((await api.as(key).get(silos)).status, 401);
  });

  for (const wrong of [
    {},
    { name: 'k' },
    { name: 'k', scopes: [] },
    { name: 'k', scopes: ['root'] },
    { name: 'k', scopes: ['read', 'read'] },
    { name: '', scopes: ['read'] },
    { name: 'k', scopes: ['read'], expires_at: '2001-01-01T00:00:00Z' },
    { name: 'k', scopes: ['read'], facilities: [] },
    { name: 'k', scopes: ['read'], colour: 'green' },
  ]) {
    test(`a request for a key with ${JSON.stringify(wrong)} is refused`, async () => {
      assert.equal((await api.post('/v1/keys', wrong)).status, 400);
    });
  }
});
