import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { VIEWS_PER_KEY_MAX } from '@granary/contract/views';
import { type Api, describeService } from '@granary/testing/server/service';

const LOW = { name: 'Low', address: '#/overview?show=low' };

describeService('saved views', (api) => {
  let operator: Api;
  let reader: Api;
  let operatorKeyId = '';
  const namesOf = async (as: Api): Promise<string[]> =>
    (await as.get('/v1/views')).body.data.map(
      ({ name, is_own }: { name: string; is_own: boolean }) => `${name}${is_own ? '' : ' of others'}`,
    );

  before(async () => {
    const issue = async (scopes: string[]) =>
      (await api.post('/v1/keys', { name: scopes.join(), scopes })).body.data;
    const issued = await issue(['read', 'operate']);
    operatorKeyId = issued.key_id;
    operator = api.as(issued.key);
    reader = api.as((await issue(['read'])).key);
  });

  test('are seen by their key, shared ones by all, and changed by their key or an admin', async () => {
    const own = (await operator.post('/v1/views', LOW, { 'x-actor': 'Ada' })).body.data;
    assert.deepEqual([own.shared, own.is_own, own.created_by.actor], [false, true, 'Ada']);
    const path = `/v1/views/${own.view_id}`;
    assert.deepEqual(await namesOf(reader), []);
    for (const other of [reader, api]) {
      assert.equal((await other.patch(path, { name: 'x' })).body.error.code, 'view_not_found');
      assert.equal((await other.delete(path)).body.error.code, 'view_not_found');
    }
    assert.equal((await operator.patch(path, { shared: true, name: 'Low silos' })).status, 200);
    assert.deepEqual(await namesOf(reader), ['Low silos of others']);
    assert.equal((await reader.patch(path, { name: 'x' })).body.error.code, 'forbidden');
    assert.equal((await reader.delete(path)).body.error.code, 'forbidden');
    assert.equal((await api.patch(path, { address: '#/alerts' })).body.data.address, '#/alerts');
    const own2 = (await reader.post('/v1/views', LOW)).body.data.view_id;
    assert.equal((await reader.post('/v1/views', { ...LOW, shared: true })).body.error.code, 'forbidden');
    assert.equal((await reader.patch(`/v1/views/${own2}`, { shared: true })).body.error.code, 'forbidden');
    assert.deepEqual(await namesOf(reader), ['Low silos of others', 'Low']);
    assert.equal((await api.delete(path)).status, 200);
    assert.deepEqual(await namesOf(operator), []);
  });

  test('refuse addresses that are none of the page, and texts that are too long', async () => {
    for (const wrong of [
      { address: 'javascript:alert(1)' },
      { address: '//evil.example/#/' },
      { address: '#/a b' },
      { address: `#/${'x'.repeat(1_000)}` },
      { name: '' },
      { name: 'x'.repeat(101) },
    ]) {
      const { status } = await operator.post('/v1/views', { ...LOW, ...wrong });
      assert.equal(status, 400, JSON.stringify(wrong).slice(0, 60));
    }
  });

  test('units are kept for each key, and unknown ones are refused', async () => {
    const units = { mass: 'bushel', temperature: 'fahrenheit', speed: 'mph' };
    assert.deepEqual((await operator.get('/v1/preferences')).body.data, { units: null });
    assert.deepEqual((await operator.put('/v1/preferences', { units })).body.data, { units });
    assert.deepEqual((await operator.put('/v1/preferences', { units })).body.data, { units });
    assert.deepEqual((await reader.get('/v1/preferences')).body.data, { units: null });
    for (const wrong of [{ mass: 'stone' }, { speed: null }, { length: 'ft' }]) {
      assert.equal((await operator.put('/v1/preferences', { units: { ...units, ...wrong } })).status, 400);
    }
    assert.equal((await operator.put('/v1/preferences', {})).status, 400);
    assert.deepEqual((await operator.get('/v1/preferences')).body.data, { units });
  });

  test('are bounded in number, move with a rotated key, and the private ones end with it', async () => {
    for (let n = 0; n < VIEWS_PER_KEY_MAX; n++) {
      const { status } = await operator.post('/v1/views', { ...LOW, name: `n${n}`, shared: n === 0 });
      assert.equal(status, 200);
    }
    assert.equal((await operator.post('/v1/views', LOW)).body.error.code, 'view_limit_reached');
    const rotated = (await api.post(`/v1/keys/${operatorKeyId}/rotate`, {})).body.data;
    assert.equal((await namesOf(api.as(rotated.key)))[1], 'n1');
    assert.equal((await api.as(rotated.key).get('/v1/preferences')).body.data.units.mass, 'bushel');
    await api.delete(`/v1/keys/${rotated.key_id}`);
    assert.deepEqual(await namesOf(api), ['n0 of others']);
    const rows = (await api.get('/v1/audit?action=views.create&result=done&limit=1000')).body.data;
    assert.ok(rows.length >= VIEWS_PER_KEY_MAX);
  });
});
