import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { signedIn } from '@granary/testing/server/people';
import { describeService, siloNamed } from '@granary/testing/server/service';

describeService('keys that people make', (api) => {
  before(async () => {
    await api.post('/v1/siloscale/devices', siloNamed('north-1', 'north'));
    const reconfirm = [{ facility: null, how: 'second_person' }];
    assert.equal((await api.put('/v1/sign-in-policy', { groups: [], reconfirm })).status, 200);
  });

  const asked = (scopes: readonly string[], more: object = {}) => ({ name: 'k', scopes, ...more });

  test('never allow what these may not do, so that nobody goes past a second person', async () => {
    const boss = await signedIn(api, [{ role: 'administrator' }]);
    const own = (await boss.ask('POST', '/v1/me/keys', asked(['read', 'admin']))).body.data;
    const program = (await boss.ask('POST', '/v1/keys', asked(['admin']))).body.data;
    const feeder = (await api.post('/v1/keys', asked(['read', 'operate']))).body.data;
    for (const refused of [
      await boss.ask('POST', '/v1/keys', asked(['operate', 'read'])),
      await boss.ask('POST', '/v1/keys', asked(['propose'])),
      await api.as(own.key).post('/v1/keys', asked(['operate', 'read'])),
      await api.as(own.key).post('/v1/keys', asked(['configure'])),
      await api.as(program.key).post('/v1/keys', asked(['operate', 'read'])),
      await boss.ask('POST', `/v1/keys/${feeder.key_id}/rotate`, {}),
      await api.as(program.key).post(`/v1/keys/${feeder.key_id}/rotate`, {}),
    ]) {
      assert.deepEqual([refused.status, refused.body.error?.code], [403, 'forbidden'], refused.text);
    }
    assert.equal((await api.as(feeder.key).get('/v1/session')).status, 200, 'the key goes on');
    for (const scopes of [['read', 'configure'], ['admin'], ['ingest', 'read']]) {
      assert.equal((await boss.ask('POST', '/v1/keys', asked(scopes))).status, 200, scopes.join());
    }
  });

  test('may operate where whoever makes them operates', async () => {
    const alone = await signedIn(api, [
      { role: 'administrator' },
      { role: 'operator', facilities: ['north'] },
    ]);
    const of = (facilities: string[]) => alone.ask('POST', '/v1/keys', asked(['operate'], { facilities }));
    assert.equal((await of(['north'])).status, 200);
    assert.equal((await of(['south'])).status, 403);
    assert.equal((await alone.ask('POST', '/v1/keys', asked(['operate']))).status, 403);
    const path = `/v1/people/${alone.person.person_id}`;
    const [made] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => of(['north']))),
      api.patch(path, { grants: [{ role: 'administrator' }] }),
    ]);
    assert.ok(made.every(({ status }) => status === 200 || status === 403));
    assert.equal((await of(['north'])).status, 403);
  });
});
