import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeService } from '@granary/testing/server/service';

const POLICY = '/v1/sign-in-policy';
const OPERATORS = { group: 'silo-operators', role: 'operator', facilities: ['north'] };

describeService('the policy of signing in', (api) => {
  it('is empty at first, is replaced as a whole, and a dry run changes nothing', async () => {
    const empty = { groups: [], session_hours: 12, reconfirm: [], second_factor_for: 'nobody' };
    assert.deepEqual((await api.get(POLICY)).body.data, empty);
    const planned = await api.put(`${POLICY}?dry_run=true`, { groups: [OPERATORS] });
    assert.deepEqual(planned.body.data, {
      dry_run: true,
      policy: { ...empty, groups: [OPERATORS] },
      people: [],
    });
    assert.deepEqual((await api.get(POLICY)).body.data, empty);
    await api.put(POLICY, { groups: [OPERATORS], session_hours: 8 });
    assert.deepEqual((await api.get(POLICY)).body.data, { ...empty, groups: [OPERATORS], session_hours: 8 });
    const reconfirm = [{ facility: 'north', how: 'pin' }];
    await api.put(POLICY, { reconfirm });
    assert.deepEqual((await api.get(POLICY)).body.data, { ...empty, reconfirm });
    await api.put(POLICY, {});
    assert.deepEqual((await api.get(POLICY)).body.data, empty);
  });

  it('refuses what cannot hold, and says where', async () => {
    const refused = async (policy: unknown): Promise<string> => {
      const { status, body } = await api.put(POLICY, policy);
      assert.equal(status, 400);
      return body.error.details[0].path;
    };
    assert.equal(await refused({ groups: [{ ...OPERATORS, role: 'owner' }] }), '/groups/0/role');
    assert.equal(
      await refused({ groups: [OPERATORS, { group: 'a', role: 'site_administrator' }] }),
      '/groups/1/facilities',
    );
    assert.equal(await refused({ session_hours: 0 }), '/session_hours');
    assert.equal(await refused({ reconfirm: [{ facility: 'a', how: 'twice' }] }), '/reconfirm/0/how');
    assert.equal(await refused({ second_factor_for: 'everybody' }), '/second_factor_for');
    assert.equal(await refused({ groups: [{ ...OPERATORS, group: 'a\u0000b' }] }), '/groups/0/group');
  });

  it('is part of the document of the site, with a dry run, and without it stays as it is', async () => {
    await api.put(POLICY, {});
    assert.equal('sign_in_policy' in (await api.get('/v1/export')).body.data, false);
    const document = { version: 1, sign_in_policy: { groups: [OPERATORS] } };
    const planned = (await api.post('/v1/apply?dry_run=true', document)).body.data;
    assert.deepEqual(
      [planned.updated, planned.changes[0].path, planned.changes[0].differences[0].path],
      [1, '/sign_in_policy', '/groups'],
    );
    assert.deepEqual((await api.get(POLICY)).body.data.groups, []);
    assert.equal((await api.post('/v1/apply', document)).status, 200);
    const { sign_in_policy: exported } = (await api.get('/v1/export')).body.data;
    assert.deepEqual(exported, {
      groups: [OPERATORS],
      session_hours: 12,
      reconfirm: [],
      second_factor_for: 'nobody',
    });
    assert.equal('sign_in_policy' in (await api.get('/v1/export?facility=north')).body.data, false);
    assert.equal((await api.post('/v1/apply', document)).body.data.unchanged, 1);
    await api.post('/v1/apply', { version: 1 });
    assert.deepEqual((await api.get(POLICY)).body.data.groups, [OPERATORS]);
    const bad = { version: 1, sign_in_policy: { groups: [{ group: 'a', role: 'site_administrator' }] } };
    const refused = await api.post('/v1/apply', bad);
    assert.deepEqual(
      [refused.status, refused.body.error.code, refused.body.error.details[0].path],
      [422, 'apply_refused', '/sign_in_policy/groups/0/facilities'],
    );
  });
});
