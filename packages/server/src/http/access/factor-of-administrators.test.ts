import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader } from '@granary/testing/server/event-reader';
import { signedIn } from '@granary/testing/server/people';
import { type Api, describeService, siloNamed } from '@granary/testing/server/service';

describeService('what administration has done', (api) => {
  let silos = 0;
  /** The types of all events that this caller gets, up to the registration of a further silo. */
  async function toldTo(caller: Api): Promise<string[]> {
    const name = `silo-${++silos}`;
    assert.equal((await api.post('/v1/siloscale/devices', siloNamed(name))).status, 200);
    const reader = await EventReader.open(caller, { lastEventId: 0 });
    const types: string[] = [];
    for (;;) {
      const event = await reader.next();
      assert(event !== null);
      types.push(event.data.type);
      if (event.data.device_id !== name) continue;
      reader.close();
      return types;
    }
  }

  test('is shown to people without the second factor that the policy asks for as little as the audit log', async () => {
    const boss = await signedIn(api, [{ role: 'administrator' }, { role: 'operator' }]);
    const personal = { name: 'laptop', scopes: ['admin', 'read'] };
    const { key } = (await boss.ask('POST', '/v1/me/keys', personal)).body.data;
    const changes = async () => (await boss.ask('GET', '/v1/shift-report')).body.data.changes;
    assert.ok((await changes()).items.length > 0);
    assert.ok((await toldTo(api.as(key))).includes('key.issued'));
    const policy = { groups: [], second_factor_for: 'administrators' };
    assert.equal((await api.put('/v1/sign-in-policy', policy)).status, 200);
    assert.equal((await boss.ask('GET', '/v1/audit')).status, 403);
    assert.equal(await changes(), null);
    const report = await api.as(key).get('/v1/shift-report');
    assert.equal(report.body.data.changes, null);
    const told = await toldTo(api.as(key));
    assert.deepEqual(
      told.filter((type) => /^(key|webhook|notification_rule|person)\./.test(type)),
      [],
    );
    assert.ok((await toldTo(api)).includes('key.issued'), 'a key of nobody stays the way in');
  });
});
