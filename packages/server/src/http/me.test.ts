import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { MINUTE_MS } from '@granary/contract/time';
import { TestClock } from '@granary/testing/server/clock';
import { eventually } from '@granary/testing/server/eventually';
import { MailServer } from '@granary/testing/server/mail-server';
import { cookieOf, invite, OWN_PAGE, PASSWORD, signedIn, signIn } from '@granary/testing/server/people';
import { RawConnection } from '@granary/testing/server/raw-http';
import { type Api, describeRequests, describeService, siloNamed } from '@granary/testing/server/service';
import { SoftwarePasskey } from '@granary/testing/server/software-passkey';
import { fromBase32, totp } from '../process/keys/second-factor.ts';

const ME = '/v1/me';
const OTHER = 'seven geese behind a hedge';
const VIEWER = [{ role: 'viewer' }];

describeService('people and what is their own', (api) => {
  test('see themselves; an API key is told that it is none', async () => {
    const { person, ask } = await signedIn(api, VIEWER);
    const { data } = (await ask('GET', ME)).body;
    assert.deepEqual([data.person.person_id, data.has_password], [person.person_id, true]);
    assert.equal((await api.get(ME)).body.error.code, 'forbidden');
    const change = { current_password: PASSWORD, password: OTHER };
    assert.equal((await api.put(`${ME}/password`, change)).body.error.code, 'forbidden');
  });

  test('change their password with the present one, which ends the other sessions and open links', async () => {
    const { person, ask } = await signedIn(api, VIEWER);
    const { login, person_id: id } = person;
    const other = cookieOf(await signIn(api, { login, password: PASSWORD }));
    const { code: link } = (await api.post(`/v1/people/${id}/invite`)).body.data;
    const { code } = (await ask('POST', '/v1/session/codes')).body.data;
    const put = (current_password: string, password: string) =>
      ask('PUT', `${ME}/password`, { current_password, password });
    assert.equal((await put(`${PASSWORD}!`, OTHER)).body.error.code, 'wrong_password');
    assert.equal((await put(PASSWORD, 'short')).body.error.code, 'invalid_input');
    assert.equal((await put(PASSWORD, `${login} ${login} 1`)).body.error.code, 'password_refused');
    const changed = await put(PASSWORD, OTHER);
    assert.equal(changed.status, 200, changed.text);
    const headers = { 'sec-fetch-site': 'same-origin', cookie: other };
    assert.equal((await api.raw('GET', '/v1/session', { headers })).status, 401);
    assert.equal((await ask('GET', '/v1/session')).status, 200);
    assert.equal((await signIn(api, { code })).status, 401);
    assert.equal((await signIn(api, { invite: link, password: OTHER })).status, 401);
    assert.equal((await signIn(api, { login, password: PASSWORD })).status, 401);
    assert.equal((await signIn(api, { login, password: OTHER })).status, 200);
    const { text } = await api.get(`/v1/audit?key_id=${id}`);
    assert.ok(text.includes('me.changePassword'));
    for (const secret of [PASSWORD, OTHER]) assert.equal(text.includes(secret), false);
  });

  test('end their other sessions at once', async () => {
    const { person, ask, followed } = await signedIn(api, VIEWER);
    const cookie = cookieOf(await signIn(api, { login: person.login, password: PASSWORD }));
    const other = { headers: { 'sec-fetch-site': 'same-origin', cookie } };
    const stream = await followed(other.headers);
    const left = (await ask('DELETE', '/v1/sessions')).body.data;
    assert.deepEqual(
      left.map((one: { is_current: boolean }) => one.is_current),
      [true],
    );
    assert.equal((await api.raw('GET', '/v1/session', other)).status, 401);
    await stream.ended;
    assert.equal((await ask('GET', '/v1/session')).status, 200);
  });

  test('choose no password that is easy to guess, and keep the link for another one', async () => {
    const { person, code } = await invite(api, VIEWER);
    const easy = await signIn(api, { invite: code, password: `${person.login}-2026-2026` });
    assert.equal(easy.body.error.code, 'password_refused');
    assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 200);
  });
});

describeService('keys of people', (api) => {
  const KEYS = `${ME}/keys`;
  const SILOS = '/v1/siloscale/devices';
  before(async () => {
    for (const facility of ['north', 'south']) await api.post(SILOS, siloNamed(`${facility}-1`, facility));
  });

  type Person = Awaited<ReturnType<typeof signedIn>>;
  async function keyOf({ ask }: Person, wanted: object = {}) {
    const made = await ask('POST', KEYS, { name: 'laptop', scopes: ['read', 'operate', 'admin'], ...wanted });
    assert.equal(made.status, 200, made.text);
    const { key, ...record } = made.body.data;
    return { record, as: api.as(key), key };
  }
  const idsFor = async (as: Api) =>
    (await as.get(SILOS)).body.data.map((one: { device_id: string }) => one.device_id);

  test('never allow more than their owner may do, also when that becomes less', async () => {
    const ada = await signedIn(api, [{ role: 'operator' }]);
    const { as, record } = await keyOf(ada);
    assert.equal(record.person_id, ada.person.person_id);
    assert.deepEqual(await idsFor(as), ['north-1', 'south-1']);
    assert.equal((await as.get('/v1/keys')).status, 403, 'the owner is no administrator');
    const { scopes, name, kind } = (await as.get('/v1/session')).body.data;
    assert.deepEqual(
      [name, kind, scopes],
      [ada.person.name, 'person', ['read', 'stop', 'propose', 'operate']],
    );
    const narrow = await keyOf(ada, { scopes: ['read'], facilities: ['north'] });
    assert.deepEqual(await idsFor(narrow.as), ['north-1']);
    const start = await narrow.as.post(`${SILOS}/north-1/operations/feed`, { amount: 1 });
    assert.equal(start.status, 403);
    const change = (grants: object[]) => api.patch(`/v1/people/${ada.person.person_id}`, { grants });
    assert.equal((await change([{ role: 'viewer', facilities: ['south'] }])).status, 200);
    assert.deepEqual(await idsFor(as), ['south-1']);
    assert.equal((await narrow.as.get(SILOS)).status, 403, 'nothing is left that both allow');
    assert.equal((await narrow.as.get('/v1/session')).status, 200);
    assert.equal((await as.post(`${SILOS}/south-1/operations/op_none/stop`)).status, 403);
  });

  test('record the person, whatever X-Actor says', async () => {
    const ada = await signedIn(api, [{ role: 'operator' }]);
    const { as, record } = await keyOf(ada);
    const note = { device_id: 'north-1', text: 'checked' };
    const { created_by: by } = (await as.post('/v1/notes', note, { 'x-actor': 'Eve' })).body.data;
    const { person_id: key_id, name: key_name } = ada.person;
    const byKey = { key_id: record.key_id, name: record.name };
    assert.deepEqual(by, { key_id, key_name, actor: null, by_key: byKey });
  });

  test('end at once by themselves, by their owner, by an administrator and with the person', async () => {
    const ada = await signedIn(api, [{ role: 'viewer' }]);
    const keys = [await keyOf(ada), await keyOf(ada), await keyOf(ada), await keyOf(ada)] as const;
    const [itself, owned, revoked, left] = keys;
    const stream = await ada.followed(left.as.authorization);
    const idOf = ({ record }: (typeof keys)[number]) => record.key_id;
    assert.equal((await itself.as.delete(`${KEYS}/${idOf(owned)}`)).status, 403, 'it ends no other');
    assert.equal((await itself.as.delete(`${KEYS}/${idOf(itself)}`)).status, 200);
    assert.equal((await ada.ask('DELETE', `${KEYS}/${idOf(owned)}`)).status, 200);
    assert.equal((await api.delete(`/v1/keys/${idOf(revoked)}`)).status, 200);
    for (const { as } of [itself, owned, revoked]) assert.equal((await as.get(SILOS)).status, 401);
    const listed = (await ada.ask('GET', KEYS)).body.data;
    assert.deepEqual(
      listed.map((one: { key_id: string }) => one.key_id),
      [idOf(left)],
    );
    const path = `/v1/people/${ada.person.person_id}`;
    assert.equal((await api.post(`${path}/disable`)).status, 200);
    assert.equal((await left.as.get(SILOS)).status, 401);
    await stream.ended;
    const { code } = (await api.post(`${path}/invite`)).body.data;
    assert.equal((await signIn(api, { invite: code, password: PASSWORD })).status, 200);
    assert.equal((await left.as.get(SILOS)).status, 401, 'it does not come back with the person');
  });

  test('cannot make more of themselves: no keys, no password, no session with all rights', async () => {
    const ada = await signedIn(api, [{ role: 'operator' }, { role: 'administrator' }]);
    const { as, key, record } = await keyOf(ada, { scopes: ['read'] });
    const more = { name: 'more', scopes: ['operate'] };
    assert.equal((await as.post(KEYS, more)).body.error.code, 'forbidden');
    const change = { current_password: PASSWORD, password: OTHER };
    assert.equal((await as.put(`${ME}/password`, change)).body.error.code, 'forbidden');
    const { code } = (await as.post('/v1/session/codes')).body.data;
    for (const given of [{ api_key: key }, { code }]) {
      const session = await signIn(api, given);
      assert.deepEqual(session.body.data.scopes, ['read']);
      const headers = { 'sec-fetch-site': 'same-origin', cookie: cookieOf(session) };
      assert.deepEqual((await api.raw('GET', '/v1/session', { headers })).body.data.scopes, ['read']);
      assert.equal((await api.raw('GET', KEYS, { headers })).status, 200);
      const json = { ...headers, 'content-type': 'application/json' };
      const made = await api.raw('POST', KEYS, { headers: json, body: JSON.stringify(more) });
      assert.equal(made.body.error.code, 'forbidden');
    }
    assert.equal((await ada.ask('GET', '/v1/sessions')).body.data.length, 1);
    const rotated = await ada.ask('POST', `/v1/keys/${record.key_id}/rotate`, { overlap_seconds: 0 });
    assert.equal(rotated.body.data.person_id, ada.person.person_id);
    const successor = await api.as(rotated.body.data.key).get('/v1/session');
    assert.deepEqual(successor.body.data.scopes, ['read']);
  });

  test('are bounded in number', async () => {
    const ada = await signedIn(api, [{ role: 'viewer' }]);
    for (let n = 0; n < 50; n++) await keyOf(ada);
    const beyond = await ada.ask('POST', KEYS, { name: 'one more', scopes: ['read'] });
    assert.equal(beyond.body.error.code, 'key_limit_reached');
  });

  test('a key that people used is taken over by one of them, and goes on with the same secret', async () => {
    const { person, ask } = await signedIn(api, [
      { role: 'administrator' },
      { role: 'operator', facilities: ['north'] },
    ]);
    const { key, key_id: id } = (await api.post('/v1/keys', { name: 'old', scopes: ['read', 'operate'] }))
      .body.data;
    const cookie = cookieOf(await signIn(api, { api_key: key }));
    const assign = (person_id: string) => ask('POST', `/v1/keys/${id}/assign`, { person_id });
    assert.equal((await assign('per_none')).body.error.code, 'person_not_found');
    const assigned = await assign(person.person_id);
    assert.equal(assigned.body.data.person_id, person.person_id);
    assert.equal((await assign(person.person_id)).body.error.code, 'key_not_assignable');
    const headers = { 'sec-fetch-site': 'same-origin', cookie };
    const session = (await api.raw('GET', '/v1/session', { headers })).body.data;
    assert.deepEqual([session.name, session.key_id], [person.name, person.person_id]);
    await api.patch(`/v1/people/${person.person_id}`, {
      grants: [{ role: 'viewer', facilities: ['north'] }],
    });
    assert.deepEqual(await idsFor(api.as(key)), ['north-1']);
    assert.equal((await api.post(`/v1/people/${person.person_id}/disable`)).status, 200);
    assert.equal((await api.as(key).get(SILOS)).status, 401);
    assert.equal((await api.raw('GET', '/v1/session', { headers })).status, 401);
  });
});

const clock = new TestClock();

describeRequests(
  'wrong present passwords',
  (api) => {
    before(() => clock.hold());

    test('wait like those of a sign-in, and nothing else of the person does', async () => {
      const { person, ask } = await signedIn(api, [{ role: 'operator' }]);
      const change = (current_password: string) =>
        ask('PUT', `${ME}/password`, { current_password, password: OTHER });
      const codes = new Set<string>();
      for (let n = 0; n < 8; n++) codes.add((await change('not this one')).body.error.code);
      assert.deepEqual([...codes], ['wrong_password', 'too_many_failed_logins']);
      assert.equal((await ask('GET', ME)).status, 200);
      const stop = await ask('POST', '/v1/siloscale/devices/none/operations/op_none/stop');
      assert.equal(stop.body.error.code, 'device_not_found');
      clock.pass(MINUTE_MS);
      assert.equal((await change(PASSWORD)).status, 200);
      assert.equal((await signIn(api, { login: person.login, password: OTHER })).status, 200);
    });
  },
  {},
  { now: clock.now },
);

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const STEP_MS = 30_000;
const phone = new TestClock();
/** The code that an app shows this many steps ahead. */
const shown = (ahead = 0) => totp(fromBase32(SECRET), Math.floor(phone.now() / STEP_MS) + ahead);

describeService(
  'a second factor',
  (api) => {
    const FACTOR = `${ME}/second-factor`;
    before(() => phone.hold());
    /** Lets time pass, so that the code of the previous step is not valid any more. */
    const wait = () => phone.pass(2 * MINUTE_MS);
    async function withFactor(grants: object[] = VIEWER) {
      wait();
      const person = await signedIn(api, grants);
      const set = await person.ask('PUT', FACTOR, {
        current_password: PASSWORD,
        secret: SECRET,
        code: shown(),
      });
      assert.equal(set.status, 200, set.text);
      const { login } = person.person;
      const enter = (second_factor?: string, password = PASSWORD) =>
        signIn(api, { login, password, ...(second_factor === undefined ? {} : { second_factor }) });
      return { ...person, enter, recovery: set.body.data.recovery_codes as string[] };
    }

    test('is set up with the first code and the password, and asked for from then on', async () => {
      wait();
      const { ask, person } = await signedIn(api, VIEWER);
      const put = (body: object) =>
        ask('PUT', FACTOR, { current_password: PASSWORD, secret: SECRET, ...body });
      assert.equal((await put({ code: shown(5) })).body.error.code, 'wrong_code');
      const wrong = await put({ code: shown(), current_password: 'wrong' });
      assert.equal(wrong.body.error.code, 'wrong_password');
      assert.equal((await put({ code: shown(), secret: 'short' })).status, 400);
      assert.equal((await ask('GET', ME)).body.data.recovery_codes_left, null);
      const { recovery_codes: codes } = (await put({ code: shown() })).body.data;
      assert.equal(new Set(codes).size, 8);
      assert.equal((await ask('GET', ME)).body.data.recovery_codes_left, 8);
      const { login } = person;
      const alone = await signIn(api, { login, password: PASSWORD });
      assert.equal(alone.body.error.code, 'second_factor_required');
      const wrongAlone = await signIn(api, { login, password: 'wrong', second_factor: shown(1) });
      assert.equal(wrongAlone.body.error.code, 'unauthorized');
      assert.equal((await signIn(api, { login, password: PASSWORD, second_factor: shown() })).status, 401);
      assert.equal((await signIn(api, { login, password: PASSWORD, second_factor: shown(1) })).status, 200);
      assert.equal((await api.put(FACTOR, { current_password: PASSWORD, secret: null })).status, 403);
      const { text } = await api.get('/v1/audit?limit=1000');
      assert.ok(text.includes('me.changeSecondFactor'));
      for (const secret of [SECRET, ...codes, PASSWORD]) assert.equal(text.includes(secret), false, secret);
    });

    test('takes each code once, also when two sign in with it at the same moment', async () => {
      const { enter, recovery, ask } = await withFactor();
      wait();
      const code = shown();
      const both = await Promise.all([enter(code), enter(code)]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
      assert.equal((await enter(code)).status, 401);
      assert.equal((await enter(shown(-1))).status, 401, 'an earlier one, too');
      assert.equal((await enter(shown(2))).status, 401);
      assert.equal((await enter(shown(1))).status, 200);
      const [first = '', second = ''] = recovery;
      const twice = await Promise.all([enter(first), enter(first)]);
      assert.deepEqual(twice.map(({ status }) => status).sort(), [200, 401]);
      assert.equal((await enter(second.toLowerCase())).status, 200);
      assert.equal((await ask('GET', ME)).body.data.recovery_codes_left, 6);
    });

    test('slows wrong codes down like wrong passwords; a right password does not make them forgotten', async () => {
      const { enter, ask } = await withFactor([{ role: 'operator' }]);
      const codes = new Set<string>();
      for (let n = 0; n < 12; n++) {
        codes.add((await enter('000000')).body.error.code);
        codes.add((await enter()).body.error.code);
      }
      assert.deepEqual([...codes].sort(), [
        'second_factor_required',
        'too_many_failed_logins',
        'unauthorized',
      ]);
      assert.equal((await enter(shown(1))).status, 429);
      const stop = await ask('POST', '/v1/siloscale/devices/none/operations/op_none/stop');
      assert.equal(stop.body.error.code, 'device_not_found', 'a stop waits for none of it');
      wait();
      assert.equal((await enter(shown())).status, 200);
    });

    test('allows a shorter password, which must be long again before it is removed', async () => {
      const { ask, enter } = await withFactor();
      const put = (current_password: string, password: string) =>
        ask('PUT', `${ME}/password`, { current_password, password });
      const remove = (current_password: string) => ask('PUT', FACTOR, { current_password, secret: null });
      assert.equal((await put(PASSWORD, 'geese 7')).status, 400);
      assert.equal((await put(PASSWORD, 'wet geese')).status, 200);
      assert.equal((await remove('wet geese')).body.error.code, 'password_refused');
      assert.equal((await put('wet geese', OTHER)).status, 200);
      assert.deepEqual((await remove(OTHER)).body.data, { recovery_codes: [] });
      assert.equal((await enter(undefined, OTHER)).status, 200);
      assert.equal((await put(OTHER, 'wet geese')).body.error.code, 'password_refused');
    });

    test('is needed by administrators where the policy says so, and by nobody else', async (t) => {
      const policy = (second_factor_for: string) => api.put('/v1/sign-in-policy', { second_factor_for });
      t.after(() => policy('nobody'));
      wait();
      const grants = [{ role: 'administrator' }, { role: 'operator' }];
      const [ada, bo] = [await signedIn(api, grants), await withFactor(grants)];
      const { key } = (await ada.ask('POST', `${ME}/keys`, { name: 'laptop', scopes: ['admin', 'read'] }))
        .body.data;
      const asking = [
        () => ada.ask('GET', '/v1/people'),
        () => ada.ask('POST', '/v1/people', { login: 'made', name: 'Made', grants: VIEWER }),
        () => api.as(key).get('/v1/people'),
      ];
      assert.equal((await ada.ask('GET', '/v1/people')).status, 200);
      await policy('administrators');
      for (const ask of asking) {
        const { status, body } = await ask();
        assert.deepEqual([status, body.error?.message_code], [403, 'administrators_need_factor']);
      }
      assert.equal((await ada.ask('GET', '/v1/siloscale/devices')).status, 200);
      const stop = await ada.ask('POST', '/v1/siloscale/devices/none/operations/op_none/stop');
      assert.equal(stop.body.error.code, 'device_not_found');
      assert.equal((await bo.ask('GET', '/v1/people')).status, 200);
      assert.equal((await api.get('/v1/people')).status, 200, 'a key of nobody stays the way in');
      wait();
      const factor = { current_password: PASSWORD, secret: SECRET, code: shown() };
      assert.equal((await ada.ask('PUT', FACTOR, factor)).status, 200);
      assert.equal((await ada.ask('GET', '/v1/people')).status, 200);
      assert.equal((await api.as(key).get('/v1/people')).status, 200);
    });

    test('is removed by a new link of an administrator', async () => {
      const { person, enter } = await withFactor();
      const { code } = (await api.post(`/v1/people/${person.person_id}/invite`)).body.data;
      assert.equal((await enter()).body.error.code, 'second_factor_required', 'the link was not used yet');
      assert.equal((await signIn(api, { invite: code, password: OTHER })).status, 200);
      assert.equal((await enter(undefined, OTHER)).status, 200);
      const { data } = (await api.get('/v1/people?limit=1000')).body;
      const listed = data.find((one: { person_id: string }) => one.person_id === person.person_id);
      assert.equal(listed.has_second_factor, false);
    });
  },
  {},
  { now: phone.now },
);

/** The status of a sign-in whose request has this `Host`. */
async function statusAt(api: Api, host: string, body: string): Promise<number | undefined> {
  const connection = await RawConnection.open(api.started.httpUrl);
  const head = ['POST /v1/session HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json'];
  connection.send(
    [...head, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join('\r\n'),
  );
  return (await connection.answer())?.status;
}

describeService('passkeys of a service that knows no address of its own', (api) => {
  test('sign only under the name for which they were made', async () => {
    const { person } = await signedIn(api, VIEWER);
    const cookie = cookieOf(await signIn(api, { login: person.login, password: PASSWORD }));
    const url = api.started.httpUrl.replace('127.0.0.1', 'localhost');
    const passkey = new SoftwarePasskey(url);
    const challenge = async (): Promise<string> =>
      (await api.raw('POST', '/v1/session/challenge', { headers: OWN_PAGE })).body.data.challenge;
    const given = { name: 'phone', current_password: PASSWORD, ...passkey.created(await challenge()) };
    const added = await fetch(`${url}${ME}/passkeys`, {
      method: 'PUT',
      headers: { ...OWN_PAGE, 'content-type': 'application/json', cookie },
      body: JSON.stringify(given),
    });
    assert.equal(added.status, 200, await added.text());
    const { port } = new URL(url);
    const enterAt = async (host: string) => {
      const faults = { origin: `http://${host}:${port}`, rpId: host };
      const signed = passkey.signed(await challenge(), faults);
      return await statusAt(api, `${host}:${port}`, JSON.stringify({ passkey: signed }));
    };
    assert.equal(await enterAt('evil.localhost'), 401);
    assert.equal(await enterAt('localhost'), 200);
  });
});

describeService(
  'passkeys',
  (api) => {
    const PASSKEYS = `${ME}/passkeys`;
    const ORIGIN = 'https://farm.example';
    type Person = Awaited<ReturnType<typeof signedIn>>;
    const challenge = async (): Promise<string> =>
      (await api.raw('POST', '/v1/session/challenge', { headers: OWN_PAGE })).body.data.challenge;
    const add = ({ ask }: Person, passkey: object, current_password = PASSWORD) =>
      ask('PUT', PASSKEYS, { name: 'phone', current_password, ...passkey });
    const enter = (passkey: object) => signIn(api, { passkey });
    async function withPasskey() {
      const person = await signedIn(api, [{ role: 'operator' }]);
      const passkey = new SoftwarePasskey(ORIGIN);
      const added = await add(person, passkey.created(await challenge()));
      assert.equal(added.status, 200, added.text);
      return { ...person, passkey, id: added.body.data.passkeys[0].passkey_id };
    }

    test('are added with the password and sign in without a name, once for each challenge', async () => {
      const { person, passkey, ask } = await withPasskey();
      // Each signature has a higher count, so that only the challenge is the same.
      const asked = await challenge();
      const answer = await enter(passkey.signed(asked));
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.data.key_id, person.person_id);
      assert.equal((await enter(passkey.signed(asked))).status, 401, 'the challenge was used');
      const again = await challenge();
      const both = await Promise.all([enter(passkey.signed(again)), enter(passkey.signed(again))]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
      const [listed] = (await ask('GET', ME)).body.data.passkeys;
      assert.ok(listed.name === 'phone' && listed.last_used_at !== null);
    });

    test('take a challenge however many others ask for theirs meanwhile', async () => {
      const { passkey } = await withPasskey();
      const mine = await challenge();
      const ask = () => api.raw('POST', '/v1/session/challenge', { headers: OWN_PAGE });
      for (let round = 0; round < 11; round++) {
        const others = await Promise.all(Array.from({ length: 100 }, ask));
        assert.deepEqual([...new Set(others.map(({ status }) => status))], [200]);
      }
      assert.equal((await enter(passkey.signed(mine))).status, 200);
    });

    test('are added and sign at the address of the service only, whatever Host a request names', async () => {
      const { passkey, headers } = await withPasskey();
      const url = api.started.httpUrl.replace('127.0.0.1', 'localhost');
      const made = new SoftwarePasskey(url).created(await challenge());
      const added = await fetch(`${url}${PASSKEYS}`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'phone', current_password: PASSWORD, ...made }),
      });
      assert.match(await added.text(), /passkey_refused/);
      const host = 'evil.localhost';
      const origin = `http://${host}`;
      const body = JSON.stringify({ passkey: passkey.signed(await challenge(), { origin, rpId: host }) });
      assert.equal(await statusAt(api, host, body), 401);
    });

    test('of other pages, of absent people and of copies are refused', async () => {
      const { passkey } = await withPasskey();
      const faults = [
        { origin: 'https://evil.example' },
        { origin: 'http://127.0.0.1:1' },
        { type: 'webauthn.create' },
        { flags: 0x01 },
        { flags: 0x04 },
        { rpId: 'evil.example' },
        { crossOrigin: true },
      ];
      for (const fault of faults) {
        const answer = await enter(passkey.signed(await challenge(), fault));
        assert.ok([401, 429].includes(answer.status), JSON.stringify(fault));
      }
      assert.equal(
        (await enter(passkey.signed('A'.repeat(43)))).body.success,
        false,
        'nobody made this challenge',
      );
      const other = new SoftwarePasskey(ORIGIN);
      assert.equal((await enter(other.signed(await challenge()))).body.success, false);
      const mixed = { ...passkey.signed(await challenge()), signature: other.signed('x').signature };
      assert.equal((await enter(mixed)).body.success, false);
      for (const junk of ['AAAA', Buffer.from('[]').toString('base64url'), 'e30'])
        assert.equal(
          (await enter({ ...passkey.signed(await challenge()), client_data: junk })).status < 500,
          true,
        );
      assert.equal((await enter(passkey.signed(await challenge(), { signCount: 50 }))).status, 200);
      const copy = await enter(passkey.signed(await challenge(), { signCount: 50 }));
      assert.equal(copy.body.success, false, 'its count did not grow');
    });

    test('are refused when they are added by others, twice, or without the password', async () => {
      const ada = await signedIn(api, VIEWER);
      const passkey = new SoftwarePasskey(ORIGIN);
      const made = passkey.created(await challenge());
      assert.equal((await add(ada, made, 'wrong')).body.error.code, 'wrong_password');
      const { public_key: _, ...rest } = made;
      const weak = { ...rest, public_key: 'AAAA' };
      assert.equal((await add(ada, weak)).body.error.code, 'passkey_refused');
      const swapped = { ...made, credential_id: 'AAAA' };
      assert.equal((await add(ada, swapped)).body.error.code, 'passkey_refused');
      assert.equal((await add(ada, made)).status, 200);
      assert.equal((await add(ada, made)).body.error.code, 'passkey_refused');
      const eve = await signedIn(api, VIEWER);
      const taken = await add(eve, passkey.created(await challenge()));
      assert.equal(taken.body.error.code, 'passkey_refused', 'it belongs to somebody');
    });

    test('let nobody in after they were removed, the person disabled, or let in anew', async () => {
      const one = await withPasskey();
      const remove = (id: string, current_password = PASSWORD) =>
        one.ask('PUT', `${PASSKEYS}/${id}/removal`, { current_password });
      assert.equal((await remove('none')).body.error.code, 'passkey_not_found');
      assert.equal((await remove(one.id, 'not the password')).body.error.code, 'wrong_password');
      assert.equal((await one.ask('GET', ME)).body.data.passkeys.length, 1);
      assert.deepEqual((await remove(one.id)).body.data.passkeys, []);
      assert.equal((await enter(one.passkey.signed(await challenge()))).body.success, false);
      const two = await withPasskey();
      const path = `/v1/people/${two.person.person_id}`;
      await api.post(`${path}/disable`);
      assert.equal((await enter(two.passkey.signed(await challenge()))).body.success, false);
      const { code } = (await api.post(`${path}/invite`)).body.data;
      await signIn(api, { invite: code, password: PASSWORD });
      assert.equal((await enter(two.passkey.signed(await challenge()))).body.success, false);
    });
  },
  { GRANARY_PUBLIC_URL: 'https://farm.example/' },
);

const mail = await new MailServer().start();

describeRequests(
  'invitations by mail',
  (api) => {
    test('are sent once to who has an address, and the link works', async () => {
      const person = { login: 'mailed', name: 'Ada', email: 'ada@example.com', grants: VIEWER };
      const headers = { 'idempotency-key': 'once' };
      const first = await api.post('/v1/people', person, headers);
      assert.equal(first.body.data.mailed, true, first.text);
      assert.equal((await api.post('/v1/people', person, headers)).status, 200);
      await eventually(async () => mail.received.length, 1);
      const [{ to, text } = { to: [], text: '' }] = mail.received;
      assert.deepEqual(to, ['ada@example.com']);
      const link = /https:\/\/farm\.example\/#invite=(\S+)/.exec(text)?.[1] ?? '';
      assert.equal(link, first.body.data.code);
      assert.equal((await signIn(api, { invite: link, password: PASSWORD })).status, 200);
      assert.equal((await invite(api, VIEWER)).mailed, false);
      await mail.stop();
      const { person_id: id } = first.body.data.person;
      const again = await api.post(`/v1/people/${id}/invite`);
      assert.deepEqual([again.status, again.body.data.mailed], [200, false], 'the link is answered anyway');
    });
  },
  {
    GRANARY_SMTP_URL: mail.url,
    GRANARY_MAIL_FROM: 'granary@example.com',
    GRANARY_PUBLIC_URL: 'https://farm.example/',
  },
);
