import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Page } from '@granary/contract/envelope';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { queryStore } from '@granary/testing/app/engines';
import { TestClock } from '@granary/testing/server/clock';
import { eventually } from '@granary/testing/server/eventually';
import { cookieOf, invite, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { describeRequests, describeService, siloNamed } from '@granary/testing/server/service';
import { PASSED_OVER_MAX } from './protocol/answers.ts';

const PEOPLE = '/v1/people';
const SESSION = '/v1/session';
const SILOS = '/v1/siloscale/devices';
const clock = new TestClock();
const shown = (text: string): string => JSON.stringify(text).slice(0, 40);

describeService('people', (api, location) => {
  before(async () => {
    for (const [id, facility] of [
      ['north-1', 'north'],
      ['south-1', 'south'],
    ] as const)
      await api.post(SILOS, siloNamed(id, facility));
  });

  test('choose a password with a link that works once, and sign in with it', async () => {
    const { person, code } = await invite(api, [{ role: 'viewer' }], 'grace');
    assert.equal(person.state, 'invited');
    assert.match(code, /^gi_/);
    assert.equal((await signIn(api, { code })).status, 401, 'an invitation is no sign-in code');
    assert.equal((await signIn(api, { invite: code, password: 'short' })).status, 400);
    const answer = await signIn(api, { invite: code, password: PASSWORD });
    assert.equal(answer.status, 200);
    const { key_id: id, kind, name, scopes } = answer.body.data;
    assert.deepEqual([id, kind, name, scopes], [person.person_id, 'person', 'Name of grace', ['read']]);
    assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 401);
    assert.equal((await signIn(api, { login: 'grace', password: PASSWORD })).status, 200);
    const wrong = await signIn(api, { login: 'grace', password: `${PASSWORD}!` });
    const unknown = await signIn(api, { login: 'nobody', password: PASSWORD });
    assert.deepEqual([wrong.status, unknown.status], [401, 401]);
    assert.equal(wrong.body.error.message, unknown.body.error.message);
    const { data } = (await api.get(PEOPLE)).body;
    assert.equal(data.find((one: { login: string }) => one.login === 'grace').state, 'active');
    const keys = (await api.get('/v1/keys?limit=1000')).text;
    assert.equal(keys.includes(person.person_id), false, 'a person is not listed as a key');
    assert.equal((await api.delete(`/v1/keys/${person.person_id}`)).status, 404);
  });

  test('may do what their roles allow at the places of these, and are told the difference', async () => {
    const { ask } = await signedIn(api, [{ role: 'viewer' }, { role: 'operator', facilities: ['north'] }]);
    const silos = (await ask('GET', SILOS)).body.data.map((one: { device_id: string }) => one.device_id);
    assert.deepEqual(silos, ['north-1', 'south-1']);
    const start = (id: string) => ask('POST', `${SILOS}/${id}/operations/feed`, { amount: 1 });
    const stop = (id: string) => ask('POST', `${SILOS}/${id}/operations/op_none/stop`);
    assert.equal((await start('north-1')).body.error.code, 'device_offline');
    assert.equal((await start('south-1')).status, 403);
    assert.equal((await stop('north-1')).body.error.code, 'operation_not_found');
    assert.equal((await stop('south-1')).status, 403);
    assert.equal((await ask('GET', PEOPLE)).status, 403);
    const north = await signedIn(api, [{ role: 'operator', facilities: ['north'] }]);
    assert.equal((await north.ask('GET', `${SILOS}/south-1`)).status, 404);
    assert.equal((await north.ask('POST', `${SILOS}/south-1/operations/op_none/stop`)).status, 404);
  });

  test('are named by their sign-in and not by X-Actor, which never refuses a stop', async () => {
    const { person, ask } = await signedIn(api, [{ role: 'operator' }]);
    const actor = { 'x-actor': 'Somebody' };
    const note = { device_id: 'north-1', text: 'checked' };
    assert.equal((await ask('POST', '/v1/notes', note, actor)).status, 400);
    const { created_by: by } = (await ask('POST', '/v1/notes', note)).body.data;
    assert.deepEqual(by, { key_id: person.person_id, key_name: person.name, actor: null });
    const stop = await ask('POST', `${SILOS}/north-1/operations/op_none/stop`, undefined, actor);
    assert.equal(stop.body.error.code, 'operation_not_found');
  });

  test('are disabled at once, with their sessions, links and passwords, and can be let in again', async () => {
    const { person, ask, followed } = await signedIn(api, [{ role: 'viewer' }]);
    const path = `${PEOPLE}/${person.person_id}`;
    const stream = await followed();
    const { code: unused } = (await api.post(`${path}/invite`)).body.data;
    assert.equal((await api.post(`${path}/disable`)).body.data.state, 'disabled');
    assert.equal((await ask('GET', SESSION)).status, 401);
    assert.equal((await signIn(api, { login: person.login, password: PASSWORD })).status, 401);
    assert.equal((await signIn(api, { invite: unused, password: PASSWORD })).status, 401);
    await stream.ended;
    const again = (await api.post(`${path}/invite`)).body.data;
    assert.equal(again.person.state, 'invited');
    assert.equal((await ask('GET', SESSION)).status, 401, 'no session of before comes back');
    assert.equal((await signIn(api, { login: person.login, password: PASSWORD })).status, 401);
    assert.equal((await signIn(api, { invite: again.code, password: PASSWORD })).status, 200);
  });

  test('end their other sessions with a new password', async () => {
    const { person, ask } = await signedIn(api, [{ role: 'viewer' }]);
    const { code } = (await api.post(`${PEOPLE}/${person.person_id}/invite`)).body.data;
    assert.equal((await ask('GET', SESSION)).status, 200);
    const password = 'ein anderes Passwört \u0000\ud83c\udf3e';
    assert.equal((await signIn(api, { invite: code, password })).status, 200);
    assert.equal((await ask('GET', SESSION)).status, 401);
    assert.equal((await signIn(api, { login: person.login, password: PASSWORD })).status, 401);
    const decomposed = password.normalize('NFD');
    assert.equal((await signIn(api, { login: person.login, password: decomposed })).status, 200);
  });

  test('lose rights with the next request', async () => {
    const { person, ask, followed } = await signedIn(api, [{ role: 'viewer' }]);
    const grants = [{ role: 'viewer', facilities: ['south'] }];
    const stream = await followed();
    assert.equal((await api.patch(`${PEOPLE}/${person.person_id}`, { grants })).status, 200);
    assert.equal((await ask('GET', `${SILOS}/north-1`)).status, 404);
    assert.equal((await ask('GET', `${SILOS}/south-1`)).status, 200);
    await stream.ended;
  });

  test('see their sessions and end one of them', async () => {
    const { person, ask } = await signedIn(api, [{ role: 'viewer' }]);
    const other = cookieOf(await signIn(api, { login: person.login, password: PASSWORD }));
    const { data } = (await ask('GET', '/v1/sessions')).body;
    assert.equal(data.length, 2);
    const mine = data.find((one: { is_current: boolean }) => one.is_current);
    const rest = data.find((one: { is_current: boolean }) => !one.is_current);
    assert.ok(mine !== undefined && mine.address !== '');
    assert.equal((await ask('DELETE', `/v1/sessions/${rest.session_id}`)).status, 200);
    assert.equal((await api.raw('GET', SESSION, { headers: { ...OWN_PAGE, cookie: other } })).status, 401);
    assert.equal((await ask('GET', SESSION)).status, 200);
    const foreign = await api.delete(`/v1/sessions/${mine.session_id}`);
    assert.equal(foreign.body.error.code, 'session_not_found');
  });

  test('who administer facilities manage people there, and give at most what they have', async () => {
    const { ask } = await signedIn(api, [{ role: 'site_administrator', facilities: ['north'] }]);
    const everywhere = await invite(api, [{ role: 'viewer' }]);
    let made = 0;
    const make = (grants: object[]) => ask('POST', PEOPLE, { login: `made-${++made}`, name: 'Made', grants });
    const viewer = await make([{ role: 'viewer', facilities: ['north'] }]);
    assert.equal(viewer.status, 200);
    assert.equal((await make([{ role: 'operator', facilities: ['north'] }])).status, 403);
    assert.equal((await make([{ role: 'viewer', facilities: ['south'] }])).status, 403);
    assert.equal((await make([{ role: 'administrator' }])).status, 403);
    assert.equal((await make([{ role: 'site_administrator' }])).status, 400);
    const path = `${PEOPLE}/${viewer.body.data.person.person_id}`;
    assert.equal((await ask('PATCH', path, { grants: [{ role: 'viewer' }] })).status, 403);
    const foreign = `${PEOPLE}/${everywhere.person.person_id}`;
    assert.equal((await ask('POST', `${foreign}/disable`)).body.error.code, 'person_not_found');
    assert.equal((await ask('POST', `${foreign}/invite`)).body.error.code, 'person_not_found');
    const listed = (await ask('GET', `${PEOPLE}?limit=2`)).body.data;
    assert.ok(listed.every((one: { person_id: string }) => one.person_id !== everywhere.person.person_id));
    assert.equal((await ask('POST', '/v1/keys', { name: 'k', scopes: ['read'] })).status, 403);
  });

  test('are listed for who administers one facility without a look at everybody', async () => {
    const { person, ask } = await signedIn(api, [{ role: 'site_administrator', facilities: ['far'] }]);
    const others = Array.from({ length: 2 * PASSED_OVER_MAX }, (_, index) => `per_0${index}`);
    await queryStore(
      location(),
      `INSERT INTO keys (key_id, hash, kind, name, grants, is_full_admin, created_at_ms)
      VALUES ${others.map((id) => `('${id}', 'person ${id}', 'person', 'Other', '[{"role":"viewer","facilities":["north"],"deviceIds":null,"source":"local"}]', 0, 0)`)}`,
    );
    await queryStore(
      location(),
      `INSERT INTO people (key_id, login) VALUES ${others.map((id) => `('${id}', '${id}')`)}`,
    );
    const made = await ask('POST', PEOPLE, {
      login: 'far-away',
      name: 'Far',
      grants: [{ role: 'viewer', facilities: ['far'] }],
    });
    assert.equal(made.status, 200, made.text);
    const found: string[] = [];
    let cursor: string | null = '';
    let pages = 0;
    for (; cursor !== null; pages++) {
      const { data, page }: Page<{ login: string }> = (
        await ask('GET', `${PEOPLE}?limit=1${cursor && `&cursor=${cursor}`}`)
      ).body;
      assert.ok(data.length <= 1);
      found.push(...data.map(({ login }) => login));
      cursor = page.next_cursor;
    }
    assert.deepEqual(found, [person.login, 'far-away']);
    assert.ok(pages >= 3, `${pages} answers for ${others.length} people`);
    await queryStore(location(), "DELETE FROM people WHERE key_id LIKE 'per~_0%' ESCAPE '~'");
    await queryStore(location(), "DELETE FROM keys WHERE key_id LIKE 'per~_0%' ESCAPE '~'");
  });

  test('lose open links when their rights become more, because who made one may have kept it', async () => {
    const { ask } = await signedIn(api, [
      { role: 'site_administrator', facilities: ['north'] },
      { role: 'operator', facilities: ['north'] },
    ]);
    const made = await ask('POST', PEOPLE, {
      login: 'rising',
      name: 'Rising',
      grants: [{ role: 'operator', facilities: ['north'] }],
    });
    assert.equal(made.status, 200, made.text);
    const { person, code } = made.body.data;
    const path = `${PEOPLE}/${person.person_id}`;
    await api.patch(path, { grants: [{ role: 'viewer', facilities: ['north'] }], name: 'Still' });
    assert.equal((await signIn(api, { invite: code, password: 'short' })).status, 400);
    await api.patch(path, { grants: [{ role: 'administrator' }] });
    assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 401);
    const { code: another } = (await api.post(`${path}/invite`)).body.data;
    await api.patch(path, { grants: [{ role: 'viewer', facilities: ['north'] }] });
    assert.equal(
      (await signIn(api, { invite: another, password: PASSWORD })).status,
      200,
      'less is no reason',
    );
  });

  test('are let in by a link only while whoever made it may manage them, also after its key was replaced', async () => {
    const site = await signedIn(api, [{ role: 'site_administrator', facilities: ['north'] }]);
    const other = await signedIn(api, [{ role: 'viewer', facilities: ['north'] }]);
    const linkBy = async (ask: typeof site.ask, { person_id: id }: { person_id: string }): Promise<string> =>
      (await ask('POST', `${PEOPLE}/${id}/invite`)).body.data.code;
    const code = await linkBy(site.ask, other.person);
    const terminal = { name: 'Door', kind: 'terminal', facilities: ['north'] };
    const { code: link } = (await site.ask('POST', '/v1/terminals', terminal)).body.data;
    const lowered = { grants: [{ role: 'viewer', facilities: ['north'] }] };
    await api.patch(`${PEOPLE}/${site.person.person_id}`, lowered);
    assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 401);
    assert.equal((await signIn(api, { code: link })).status, 401);

    const wanted = { name: 'inviting', scopes: ['read', 'admin'] };
    const { key, key_id: keyId } = (await api.post('/v1/keys', wanted)).body.data;
    const bearer = { headers: { authorization: `Bearer ${key}` } };
    const path = `${PEOPLE}/${other.person.person_id}/invite`;
    const { code: kept } = (await api.raw('POST', path, bearer)).body.data;
    await api.post(`/v1/keys/${keyId}/rotate`, { overlap_seconds: 0 });
    assert.equal((await signIn(api, { invite: kept, password: PASSWORD })).status, 200);
  });

  test('have names that look like what they are', async () => {
    const { person } = await invite(api, [{ role: 'viewer' }]);
    const patched = (name: string) => api.patch(`${PEOPLE}/${person.person_id}`, { name });
    const hidden = [
      '\u202eadA',
      'Ada\u200b',
      'Ada\u2066',
      'A\u00adda',
      '\ufeffAda',
      'Ada\u2028Bo',
      'Ada\u200f',
      'Ada\u3164',
      '\u2800',
      '\u115fAda',
      'A\u034fda',
    ];
    for (const name of [
      ...hidden,
      '',
      ' ',
      '\u00a0',
      '\u200d',
      'Ada\u0007',
      'x'.repeat(201),
      'x'.repeat(10_000),
    ]) {
      const refused = await patched(name);
      assert.deepEqual([refused.status, refused.body.error.details[0].path], [400, '/name'], shown(name));
      const body = { login: 'hidden', name, grants: [{ role: 'viewer' }] };
      assert.equal((await api.post(PEOPLE, body)).status, 400);
    }
    for (const name of ['Анна', 'علی‌رضا', '<b>Ada</b>', "O'Neill", '李 小龍', '🌾', 'x'.repeat(200)]) {
      assert.equal((await patched(name)).body.data.name, name);
    }
    for (const email of [
      'a\u202e@farm.example',
      'ada\u200b@farm.example',
      'a@farm.example, b@farm.example',
    ]) {
      const refused = await api.patch(`${PEOPLE}/${person.person_id}`, { email });
      assert.equal(refused.status, 400, shown(email));
    }
    const terminal = { name: 'Mill\u202e', kind: 'terminal', facilities: ['north'] };
    assert.equal((await api.post('/v1/terminals', terminal)).status, 400);
    // Letters of other scripts look alike; ids and short names do not.
    const other = await invite(api, [{ role: 'viewer' }]);
    for (const [id, name] of [
      [person.person_id, 'Ada'],
      [other.person.person_id, '\u0410da'],
    ]) {
      assert.equal((await api.patch(`${PEOPLE}/${id}`, { name })).status, 200);
    }
    assert.match(other.person.login, /^[a-z0-9._-]+$/);
    for (const login of ['Ada', '\u0430da', 'ada\u200b', 'ada lovelace', '', 'x'.repeat(10_000)]) {
      const body = { login, name: 'Ada', grants: [{ role: 'viewer' }] };
      assert.equal((await api.post(PEOPLE, body)).status, 400, shown(login));
      assert.equal((await signIn(api, { login, password: PASSWORD })).status, 400, shown(login));
    }
  });

  test('with one name are refused, also when they are added at the same moment', async () => {
    const grants = [{ role: 'viewer' }];
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.post(PEOPLE, { login: 'twin', name: 'Twin', grants })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  });

  test('leave no password, link or secret in the audit log', async () => {
    const { person, code } = await invite(api, [{ role: 'viewer' }], 'audited');
    await signIn(api, { invite: code, password: PASSWORD });
    await signIn(api, { login: 'audited', password: 'wrong password' });
    await eventually(
      async () => (await api.get('/v1/audit?action=session.create&result=refused')).body.data.length > 0,
      true,
    );
    const { text, body } = await api.get(`/v1/audit?key_id=${person.person_id}`);
    assert.deepEqual(
      body.data.map((one: { action: string }) => one.action),
      ['session.create'],
    );
    const all = text + (await api.get('/v1/audit?limit=1000')).text;
    for (const secret of [PASSWORD, 'wrong password', 'gi_'])
      assert.equal(all.includes(secret), false, secret);
  });
});

describeRequests(
  'invitations with time',
  (api) => {
    test('end after 7 days, and a new one begins anew', async () => {
      const { person, code } = await invite(api, [{ role: 'viewer' }]);
      clock.pass(7 * DAY_MS - MINUTE_MS);
      assert.equal((await signIn(api, { invite: code, password: 'short' })).status, 400, 'it still counts');
      clock.pass(MINUTE_MS);
      assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 401);
      const again = (await api.post(`${PEOPLE}/${person.person_id}/invite`)).body.data;
      assert.equal((await signIn(api, { invite: again.code, password: PASSWORD })).status, 200);
    });
  },
  {},
  { now: clock.now },
);

describeRequests(
  'wrong passwords',
  (api) => {
    before(() => clock.hold());

    test('that come at once are looked at only as long as they need not wait', async () => {
      const { person } = await signedIn(api, [{ role: 'viewer' }]);
      const guesses = Array.from({ length: 40 }, (_, at) =>
        signIn(api, { login: person.login, password: `guess number ${at}` }),
      );
      const looked = (await Promise.all(guesses)).filter(({ status }) => status === 401);
      assert.ok(looked.length >= 5 && looked.length <= 8, `${looked.length} were looked at`);
    });

    test('are answered like names that nobody has', async () => {
      const { person } = await signedIn(api, [{ role: 'viewer' }]);
      const answers = async (login: string) => {
        const all: unknown[] = [];
        for (let at = 0; at < 12; at++) {
          const { status, headers, body } = await signIn(api, { login, password: 'not the password' });
          all.push([status, body.error.code, body.error.message, headers.get('retry-after')]);
        }
        return all;
      };
      assert.deepEqual(await answers(person.login), await answers('nobody-at-all'));
      clock.pass(16 * MINUTE_MS);
    });

    test('slow down their own name and nobody else, and the right one is looked at again', async () => {
      const victim = await signedIn(api, [{ role: 'operator' }]);
      const other = await signedIn(api, [{ role: 'viewer' }]);
      const { login } = victim.person;
      const codes = new Set<string>();
      for (let n = 0; n < 12; n++) {
        const answer = await signIn(api, { login, password: 'not the password' });
        codes.add(answer.body.error.code);
        if (answer.status === 429) assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      }
      assert.deepEqual([...codes], ['unauthorized', 'too_many_failed_logins']);
      assert.equal((await signIn(api, { login, password: PASSWORD })).status, 429);
      assert.equal((await signIn(api, { login: other.person.login, password: PASSWORD })).status, 200);
      assert.equal((await victim.ask('GET', SESSION)).status, 200, 'who has signed in goes on');
      const stop = await victim.ask('POST', `${SILOS}/none/operations/op_none/stop`);
      assert.equal(stop.body.error.code, 'device_not_found', 'and may stop');
      clock.pass(MINUTE_MS);
      assert.equal((await signIn(api, { login, password: PASSWORD })).status, 200);
    });
  },
  {},
  { now: clock.now },
);
