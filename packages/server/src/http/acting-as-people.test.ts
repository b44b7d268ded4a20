import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { cookieOf, signedIn, signIn } from '@granary/testing/server/people';
import { describeService, siloNamed } from '@granary/testing/server/service';

const BOTH = [{ role: 'administrator' }, { role: 'operator' }];
const ROUNDS = 4;

describeService('an administrator and the keys of other people', (api) => {
  before(() => api.post('/v1/siloscale/devices', siloNamed('north-1', 'north')));

  const keyOf = async (person: Awaited<ReturnType<typeof signedIn>>, name = 'laptop') =>
    (await person.ask('POST', '/v1/me/keys', { name, scopes: ['read', 'operate', 'admin'] })).body.data;
  const note = (key: string) => api.as(key).post('/v1/notes', { text: 'seen', device_id: 'north-1' });

  test('gets no successor of a personal key, and ends it', async () => {
    const boss = await signedIn(api, BOTH);
    const ada = await signedIn(api, BOTH);
    const { key, key_id: id } = await keyOf(ada);
    for (const rotated of [
      await boss.ask('POST', `/v1/keys/${id}/rotate`, {}),
      await api.post(`/v1/keys/${id}/rotate`, {}),
      await api.as((await keyOf(boss)).key).post(`/v1/keys/${id}/rotate`, {}),
      // The key cannot rotate itself either, because somebody else may have found it.
      await api.as(key).post(`/v1/keys/${id}/rotate`, {}),
    ]) {
      assert.deepEqual([rotated.status, rotated.body.error?.code], [403, 'forbidden'], rotated.text);
    }
    const renewed = await ada.ask('POST', `/v1/keys/${id}/rotate`, {});
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal(renewed.body.data.person_id, ada.person.person_id);
    assert.equal((await boss.ask('DELETE', `/v1/keys/${renewed.body.data.key_id}`)).status, 200);
    assert.equal((await api.as(renewed.body.data.key).get('/v1/session')).status, 401);
  });

  test('hands a key to nobody but the own person', async () => {
    const boss = await signedIn(api, BOTH);
    const ada = await signedIn(api, BOTH);
    const { key, key_id: id } = (
      await boss.ask('POST', '/v1/keys', { name: 'k', scopes: ['read', 'operate'] })
    ).body.data;
    const to = (person: { person_id: string }) => ({ person_id: person.person_id });
    for (const assigned of [
      await boss.ask('POST', `/v1/keys/${id}/assign`, to(ada.person)),
      await api.post(`/v1/keys/${id}/assign`, to(ada.person)),
      await api.as((await keyOf(ada)).key).post(`/v1/keys/${id}/assign`, to(ada.person)),
    ]) {
      assert.deepEqual([assigned.status, assigned.body.error?.code], [403, 'forbidden'], assigned.text);
    }
    assert.equal((await note(key)).body.data.created_by.key_id, id);
    assert.equal((await boss.ask('POST', `/v1/keys/${id}/assign`, to(boss.person))).status, 200);
    const { created_by: by } = (await note(key)).body.data;
    assert.deepEqual(by.by_key, { key_id: id, name: 'k' });
    assert.equal(by.key_id, boss.person.person_id);
  });

  test('sees with which key something was done, in records, events and the audit log', async () => {
    const ada = await signedIn(api, BOTH);
    const { key, key_id } = await keyOf(ada, 'laptop of Ada');
    const byKey = { key_id, name: 'laptop of Ada' };
    const noted = (await note(key)).body.data;
    assert.deepEqual(noted.created_by.by_key, byKey);
    const { cookie, ...own } = {
      'sec-fetch-site': 'same-origin',
      cookie: cookieOf(await signIn(api, { api_key: key })),
    };
    const view = await api.raw('POST', '/v1/views', {
      headers: { ...own, cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'mine', address: '#/silos' }),
    });
    assert.deepEqual(view.body.data.created_by?.by_key, byKey, view.text);
    const { data: entries } = (await api.get(`/v1/audit?key_id=${ada.person.person_id}`)).body;
    const done = entries.filter(({ path }: { path: string }) => ['/v1/notes', '/v1/views'].includes(path));
    assert.deepEqual(
      done.map(({ actor }: { actor: { by_key?: object } }) => actor.by_key),
      [byKey, byKey],
    );
    const inPerson = await ada.ask('POST', '/v1/notes', { text: 'myself', device_id: 'north-1' });
    assert.equal(inPerson.body.data.created_by.by_key, undefined);
  });

  test('that is taken over and renewed at the same time has a successor of the person only afterwards', async () => {
    const ada = await signedIn(api, BOTH);
    for (let round = 0; round < ROUNDS; round++) {
      const { key_id: id } = (await api.post('/v1/keys', { name: 'shared', scopes: ['read'] })).body.data;
      const assign = () => ada.ask('POST', `/v1/keys/${id}/assign`, { person_id: ada.person.person_id });
      const rotate = () => api.post(`/v1/keys/${id}/rotate`, {});
      const [one, two, three] = await Promise.all(
        round % 2 === 0 ? [assign(), rotate(), rotate()] : [rotate(), assign(), rotate()],
      );
      for (const { status, text, body } of [one, two, three]) {
        assert.ok([200, 403].includes(status), text);
        if (body.data?.key !== undefined)
          assert.equal(body.data.person_id, null, 'its secret is known to another');
      }
    }
  });
});
