import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { TERMINALS_MAX } from '@granary/core/terminals';
import { TestClock } from '@granary/testing/server/clock';
import { eventually } from '@granary/testing/server/eventually';
import { cookieOf, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { type Api, describeRequests, describeService, siloNamed } from '@granary/testing/server/service';

const TERMINALS = '/v1/terminals';
const PERSON = '/v1/session/person';
const SILOS = '/v1/siloscale/devices';
const PIN = '4071';

const clock = new TestClock();

/** Requests with the cookie of a terminal or a display. */
async function enrolled(api: Api, kind: 'terminal' | 'display', facilities = ['north']) {
  const { terminal, code } = (await api.post(TERMINALS, { name: `A ${kind}`, kind, facilities })).body.data;
  const answer = await signIn(api, { code });
  assert.equal(answer.status, 200, answer.text);
  const headers = { ...OWN_PAGE, cookie: cookieOf(answer) };
  const ask = (method: string, path: string, body?: object) =>
    api.raw(method, path, {
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const enter = (login: string, secret: object) => ask('PUT', PERSON, { login, ...secret });
  return { terminal, code, answer, headers, ask, enter };
}

/** A person with a PIN. */
async function withPin(api: Api, grants: object[] = [{ role: 'operator' }]) {
  const one = await signedIn(api, grants);
  const set = await one.ask('PUT', '/v1/me/pin', { current_password: PASSWORD, pin: PIN });
  assert.equal(set.status, 200, set.text);
  assert.equal(set.body.data.has_pin, true);
  return { ...one, login: one.person.login as string };
}

describeService(
  'terminals',
  (api) => {
    before(async () => {
      for (const facility of ['north', 'south']) await api.post(SILOS, siloNamed(`${facility}-1`, facility));
    });

    const start = { amount: 1 };
    const feed = (id: string) => `${SILOS}/${id}/operations/feed`;
    const stopped = `${SILOS}/north-1/operations/op_none/stop`;

    test('are enrolled with a link that works once, and end at once', async () => {
      const { terminal, code, answer, ask } = await enrolled(api, 'terminal');
      const { key_id: id, kind, scopes, facilities, terminal: own } = answer.body.data;
      assert.deepEqual(
        [id, kind, scopes, facilities],
        [terminal.terminal_id, 'terminal', ['read', 'stop'], ['north']],
      );
      assert.deepEqual(own, { key_id: id, name: 'A terminal' });
      assert.equal((await signIn(api, { code })).status, 401);
      const listed = (await api.get(TERMINALS)).body.data;
      assert.ok(listed.some((one: { terminal_id: string }) => one.terminal_id === id));
      assert.equal((await api.get('/v1/keys?limit=1000')).text.includes(id), false);
      assert.equal((await api.delete(`/v1/keys/${id}`)).status, 404);
      assert.equal((await api.post(`${TERMINALS}/${id}/end`)).status, 200);
      assert.equal((await ask('GET', '/v1/session')).status, 401);
      assert.equal((await ask('POST', stopped)).status, 401);
      const again = await api.post(`${TERMINALS}/${id}/end`);
      assert.notEqual(again.body.data.ended_at, null);
      assert.equal((await api.post(`${TERMINALS}/key_none/end`)).body.error.code, 'terminal_not_found');
    });

    test('show everything while locked and can stop, and the log says that nobody was signed in', async () => {
      const { terminal, ask } = await enrolled(api, 'terminal');
      assert.equal((await ask('GET', `${SILOS}/north-1`)).status, 200);
      assert.equal((await ask('GET', `${SILOS}/south-1`)).status, 404);
      assert.equal((await ask('POST', feed('north-1'), start)).status, 403);
      assert.equal((await ask('POST', '/v1/notes', { device_id: 'north-1', text: 'x' })).status, 403);
      assert.equal((await ask('POST', '/v1/views', { name: 'Low', address: '#/overview' })).status, 403);
      assert.equal((await ask('POST', '/v1/session/codes')).status, 403);
      assert.equal((await ask('DELETE', '/v1/session')).status, 403);
      assert.equal((await ask('DELETE', '/v1/sessions')).status, 403);
      assert.equal((await ask('POST', stopped)).body.error.code, 'operation_not_found');
      const { key_id } = (await ask('GET', '/v1/session')).body.data;
      const actor = { key_id, key_name: 'A terminal', actor: null, terminal: { key_id, name: 'A terminal' } };
      await eventually(async () => {
        const { data } = (await api.get(`/v1/audit?key_id=${key_id}&action=operations.stop`)).body;
        return JSON.stringify(data[0]?.actor);
      }, JSON.stringify(actor));
      assert.equal(key_id, terminal.terminal_id);
    });

    test('let people operate in at most their own places, who are named with the terminal', async () => {
      const ada = await withPin(api, [{ role: 'engineer' }, { role: 'administrator' }]);
      const { terminal, ask, enter } = await enrolled(api, 'terminal');
      const inside = await enter(ada.login, { pin: PIN });
      assert.equal(inside.status, 200, inside.text);
      const { kind, name, key_id, scopes } = inside.body.data;
      assert.deepEqual([kind, name, key_id], ['person', ada.person.name, ada.person.person_id]);
      assert.deepEqual(scopes.sort(), ['configure', 'operate', 'read', 'stop']);
      assert.equal((await ask('POST', feed('north-1'), start)).body.error.code, 'device_offline');
      assert.equal((await ask('POST', feed('south-1'), start)).status, 404);
      assert.equal((await ask('GET', '/v1/people')).status, 403);
      const note = (await ask('POST', '/v1/notes', { device_id: 'north-1', text: 'checked' })).body.data;
      const place = { key_id: terminal.terminal_id, name: 'A terminal' };
      assert.deepEqual(note.created_by, { key_id, key_name: name, actor: null, terminal: place });
      const { data } = (await api.get(`/v1/audit?key_id=${key_id}&action=terminals.signIn`)).body;
      assert.deepEqual(data[0].actor.terminal, place);
      assert.equal(data[0].input.body.pin, '(left out)');
      for (const [method, path, body] of [
        ['POST', '/v1/session/codes', undefined],
        ['DELETE', '/v1/session', undefined],
        ['PUT', '/v1/me/pin', { current_password: PASSWORD, pin: '9021' }],
        ['PUT', '/v1/me/password', { current_password: PASSWORD, password: 'another one of the barn' }],
      ] as const) {
        assert.equal((await ask(method, path, body)).status, 403, `${method} ${path} of one's own account`);
      }
      const locked = await ask('DELETE', PERSON);
      assert.equal(locked.body.data.kind, 'terminal');
      assert.equal((await ask('POST', feed('north-1'), start)).status, 403);
    });

    test('change shifts over their session, without ending its streams', async () => {
      const [ada, bo] = [
        await withPin(api),
        await withPin(api, [{ role: 'operator', facilities: ['north'] }]),
      ];
      const { headers, ask, enter } = await enrolled(api, 'terminal', ['north', 'south']);
      const stream = await fetch(`${api.started.httpUrl}/v1/events`, { headers });
      let hasEnded = false;
      void stream.text().then(() => {
        hasEnded = true;
      });
      assert.equal((await enter(ada.login, { pin: PIN })).body.data.name, ada.person.name);
      assert.equal((await enter(bo.login, { pin: PIN })).body.data.name, bo.person.name);
      assert.equal((await ask('POST', feed('south-1'), start)).status, 403);
      assert.equal((await ask('GET', `${SILOS}/south-1`)).status, 200);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      assert.equal(hasEnded, false);
      await ask('DELETE', PERSON);
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      assert.equal(hasEnded, false);
      await api.post(`${TERMINALS}/${(await ask('GET', '/v1/session')).body.data.key_id}/end`);
      await eventually(async () => hasEnded, true);
    });

    test('are locked after 5 minutes, unless somebody says that they are still there', async () => {
      const ada = await withPin(api);
      const { ask, enter } = await enrolled(api, 'terminal');
      await enter(ada.login, { pin: PIN });
      const kind = async () => (await ask('GET', '/v1/session')).body.data.kind;
      clock.pass(4 * MINUTE_MS);
      assert.equal((await ask('PUT', `${PERSON}/presence`)).body.data.kind, 'person');
      clock.pass(4 * MINUTE_MS);
      assert.equal(await kind(), 'person');
      clock.pass(MINUTE_MS + SECOND_MS);
      assert.equal(await kind(), 'terminal');
      assert.equal((await ask('PUT', `${PERSON}/presence`)).body.data.kind, 'terminal');
      assert.equal((await ask('POST', stopped)).body.error.code, 'operation_not_found');
    });

    test('list those who operate there, and let in nobody else', async () => {
      const facilities = ['south'];
      const ada = await withPin(api, [{ role: 'operator', facilities }]);
      const viewer = await withPin(api, [{ role: 'viewer' }]);
      const elsewhere = await withPin(api, [{ role: 'operator', facilities: ['north'] }]);
      const noPin = await signedIn(api, [{ role: 'operator', facilities }]);
      const { ask, enter } = await enrolled(api, 'terminal', facilities);
      const logins = [ada.login, viewer.login, elsewhere.login, noPin.person.login];
      const tiles = (await ask('GET', '/v1/session/people')).body.data.filter((one: { login: string }) =>
        logins.includes(one.login),
      );
      assert.deepEqual(
        tiles.map((one: { login: string; needs_password: boolean }) => [one.login, one.needs_password]),
        [
          [ada.login, false],
          [noPin.person.login, true],
        ],
      );
      for (const login of [viewer.login, elsewhere.login, 'nobody']) {
        assert.equal((await enter(login, { pin: PIN })).body.error.code, 'wrong_pin');
      }
      assert.equal((await enter(noPin.person.login, { pin: PIN })).body.error.code, 'password_required');
      assert.equal((await enter(noPin.person.login, { password: PASSWORD })).status, 200);
      assert.equal((await enter(ada.login, { pin: '12' })).status, 400);
      assert.equal(
        (await ada.ask('PUT', PERSON, { login: ada.login, pin: PIN })).body.error.code,
        'forbidden',
      );
      const elsewhereSignIn = await signIn(api, { login: ada.login, password: PIN });
      assert.equal(elsewhereSignIn.status, 401, 'a PIN counts at terminals only');
    });

    test('look at five wrong PINs of a person, then ask for the password; others do not wait', async (t) => {
      clock.hold();
      t.after(() => clock.release());
      const [ada, bo] = [await withPin(api), await withPin(api)];
      const { ask, enter } = await enrolled(api, 'terminal');
      const codes: string[] = [];
      for (let n = 0; n < 5; n++) {
        codes.push((await enter(ada.login, { pin: '4072' })).body.error.code);
        const early = await enter(ada.login, { pin: PIN });
        if (n < 4) assert.ok(Number(early.headers.get('retry-after')) >= 1);
        codes.push(early.body.error.code);
        assert.equal((await enter(bo.login, { pin: PIN })).status, 200);
        clock.pass(9 * SECOND_MS);
      }
      assert.deepEqual(new Set(codes), new Set(['wrong_pin', 'too_many_failed_logins', 'password_required']));
      clock.pass(DAY_MS);
      assert.equal((await enter(ada.login, { pin: PIN })).body.error.code, 'password_required');
      const other = await enrolled(api, 'terminal');
      assert.equal(
        (await other.enter(ada.login, { pin: PIN })).status,
        200,
        'another terminal counts for itself',
      );
      assert.equal(
        (await enter(ada.login, { password: 'not the password' })).body.error.code,
        'wrong_password',
      );
      assert.equal((await enter(ada.login, { password: PASSWORD })).status, 200);
      await ask('DELETE', PERSON);
      assert.equal((await enter(ada.login, { pin: PIN })).status, 200);
    });

    test('look at five of many PINs that come at once', async () => {
      const ada = await withPin(api);
      const { ask, enter } = await enrolled(api, 'terminal');
      const pins = Array.from({ length: 60 }, (_, index) => String(4000 + index));
      const answers = await Promise.all(pins.map((pin) => enter(ada.login, { pin })));
      const looked = answers.filter(({ body }) => body.error?.code === 'wrong_pin');
      assert.ok(looked.length <= 5, `${looked.length} were looked at`);
      assert.equal((await ask('POST', stopped)).body.error.code, 'operation_not_found');
    });

    test('lose a person who is disabled, whose rights change, or who gets another password', async () => {
      const ada = await withPin(api);
      const path = `/v1/people/${ada.person.person_id}`;
      const { ask, enter } = await enrolled(api, 'terminal');
      const kind = async () => (await ask('GET', '/v1/session')).body.data.kind;
      await enter(ada.login, { pin: PIN });
      await api.patch(path, { grants: [{ role: 'viewer' }] });
      assert.equal((await ask('POST', feed('north-1'), start)).status, 403);
      await api.patch(path, { grants: [{ role: 'operator' }] });
      assert.equal((await ask('POST', feed('north-1'), start)).body.error.code, 'device_offline');
      await ada.ask('PUT', '/v1/me/password', {
        current_password: PASSWORD,
        password: 'another one of the barn',
      });
      await eventually(kind, 'terminal');
      await enter(ada.login, { pin: PIN });
      assert.equal(await kind(), 'person');
      await api.post(`${path}/disable`);
      assert.equal(await kind(), 'terminal');
      assert.equal((await ask('POST', feed('north-1'), start)).status, 403);
      assert.equal((await ask('POST', stopped)).body.error.code, 'operation_not_found');
      assert.equal((await enter(ada.login, { pin: PIN })).body.error.code, 'wrong_pin');
      const { code } = (await api.post(`${path}/invite`)).body.data;
      assert.equal(await kind(), 'terminal', 'who is let in again is not signed in by that');
      assert.notEqual((await enter(ada.login, { pin: PIN })).status, 200, 'before the link is used');
      assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 200);
      assert.equal((await enter(ada.login, { pin: PIN })).body.error.code, 'password_required');
    });

    test('take no PIN of before from somebody who has a new link', async () => {
      const ada = await withPin(api);
      const { enter } = await enrolled(api, 'terminal');
      const { code } = (await api.post(`/v1/people/${ada.person.person_id}/invite`)).body.data;
      assert.equal((await enter(ada.login, { pin: PIN })).status, 200, 'the link was not used yet');
      assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 200);
      assert.equal((await enter(ada.login, { pin: PIN })).body.error.code, 'password_required');
    });

    test('are enrolled and ended by who administers their facilities', async () => {
      const site = await signedIn(api, [{ role: 'site_administrator', facilities: ['north'] }]);
      const make = (facilities: string[]) =>
        site.ask('POST', TERMINALS, { name: 'Door', kind: 'terminal', facilities });
      const own = await make(['north']);
      assert.equal(own.status, 200);
      assert.equal((await make(['north', 'south'])).status, 403);
      const foreign = await enrolled(api, 'terminal', ['south']);
      const listed = (await site.ask('GET', TERMINALS)).text;
      assert.equal(listed.includes(foreign.terminal.terminal_id), false);
      assert.equal(listed.includes(own.body.data.terminal.terminal_id), true);
      const end = `${TERMINALS}/${foreign.terminal.terminal_id}/end`;
      assert.equal((await site.ask('POST', end)).body.error.code, 'terminal_not_found');
      const viewer = await signedIn(api, [{ role: 'engineer' }]);
      assert.equal((await viewer.ask('GET', TERMINALS)).status, 403);
    });

    test('stay signed in for as long as they are used, and get their cookie again', async () => {
      const { answer, ask } = await enrolled(api, 'display');
      assert.match(answer.headers.get('set-cookie') ?? '', /Max-Age=34560000/);
      for (let month = 0; month < 4; month++) {
        clock.pass(30 * DAY_MS);
        const shown = await ask('GET', '/v1/session');
        assert.equal(shown.status, 200);
        assert.equal(cookieOf(shown), cookieOf(answer));
        const until = () => ask('GET', '/v1/session').then(({ body }) => body.data.session.expires_at);
        const start = clock.now() + 89 * DAY_MS;
        await eventually(async () => Date.parse(await until()) > start, true);
      }
      clock.pass(91 * DAY_MS);
      assert.equal((await ask('GET', '/v1/session')).status, 401);
    });

    test('of a wall only read', async () => {
      const { ask, enter } = await enrolled(api, 'display');
      const ada = await withPin(api);
      assert.equal((await ask('GET', `${SILOS}/north-1`)).status, 200);
      for (const [method, path, body] of [
        ['POST', stopped, undefined],
        ['POST', feed('north-1'), start],
        ['POST', '/v1/views', { name: 'Low', address: '#/overview' }],
        ['POST', '/v1/session/codes', undefined],
        ['DELETE', '/v1/session', undefined],
        ['GET', '/v1/session/people', undefined],
        ['DELETE', PERSON, undefined],
      ] as const) {
        assert.equal((await ask(method, path, body)).status, 403, `${method} ${path}`);
      }
      assert.equal((await enter(ada.login, { pin: PIN })).status, 403);
    });
  },
  {},
  { now: clock.now },
);

describeRequests('the number of terminals', (api) => {
  test('is bounded, also when many are enrolled at once', async () => {
    const wanted = { name: 'A display', kind: 'display', facilities: ['north'] };
    const codes = new Map<string | null, number>();
    for (let sent = 0; sent < TERMINALS_MAX + 20; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(TERMINALS, wanted)));
      for (const { body } of answers) {
        const code = body.error?.code ?? null;
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
    assert.deepEqual(Object.fromEntries(codes), { null: TERMINALS_MAX, terminal_limit_reached: 20 });
  });
});
