import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invite, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { describeService } from '@granary/testing/server/service';

const PEOPLE = '/v1/people';
const ROUNDS = 9;
const VIEWER = [{ role: 'viewer', facilities: ['north'] }];
const EVERYTHING = [{ role: 'administrator' }, { role: 'operator' }];

describeService('people of whom two requests ask at once', (api) => {
  test('are managed by nobody who may not manage them as they are by then', async () => {
    const site = await signedIn(api, [{ role: 'site_administrator', facilities: ['north'] }]);
    for (let round = 0; round < ROUNDS; round++) {
      const { person } = await invite(api, VIEWER);
      const path = `${PEOPLE}/${person.person_id}`;
      const actions: [method: string, path: string, body?: object][] = [
        ['POST', `${path}/invite`],
        ['PATCH', path, { email: `${person.login}@north.example` }],
        ['POST', `${path}/invite`],
        ['POST', `${path}/unlink`],
        ['POST', `${path}/disable`],
        ['POST', `${path}/invite`],
      ];
      const promotion = () => api.patch(path, { grants: EVERYTHING });
      const before = actions.slice(0, round % actions.length).map((action) => site.ask(...action));
      const promoted = promotion();
      const answers = await Promise.all([...before, ...actions.map((action) => site.ask(...action))]);
      assert.equal((await promoted).status, 200);
      let last: string | undefined;
      for (const { status, text, body } of answers) {
        assert.ok(status === 200 || status === 404, text);
        if (status === 404) continue;
        const { code, person: managed = body.data } = body.data;
        assert.deepEqual(
          managed.grants.map(({ role }: { role: string }) => role),
          ['viewer'],
          'the answer shows the rights that were compared',
        );
        last = code ?? last;
      }
      // Each round sends one wrong code, because many wrong codes of an address have to wait.
      const used = await signIn(api, { invite: last ?? 'gi_none', password: PASSWORD });
      assert.equal(used.status, 401, 'a link of before ends with the promotion');
    }
  });
});
