import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { TestProvider, Visitor } from '@granary/testing/server/identity-provider';
import { cookieOf, PASSWORD, signedIn, signIn as signInHere } from '@granary/testing/server/people';
import { type Answer, type Api, describeService } from '@granary/testing/server/service';
import { SoftwarePasskey } from '@granary/testing/server/software-passkey';

const POLICY = '/v1/sign-in-policy';
const START = '/v1/session/oidc/start';
const OPERATORS = { group: 'silo-operators', role: 'operator', facilities: ['north'] };

const provider = await TestProvider.start();
let aheadMs = 0;
const now = () => Date.now() + aheadMs;

describeService(
  'single sign-on',
  (api) => {
    before(async () => {
      provider.serve(api.started.httpUrl);
      await api.put(POLICY, { groups: [OPERATORS, { group: 'viewers', role: 'viewer' }] });
    });

    const own = (api: Api) => ({ origin: api.started.httpUrl, 'sec-fetch-site': 'same-origin' });

    /** Signs in at the provider, up to the address with which the browser comes back. */
    async function comeBack(login: string, visitor = new Visitor(), path = START, body: object = {}) {
      const { httpUrl } = api.started;
      const started = await api.raw('POST', path, {
        headers: { ...own(api), 'content-type': 'application/json', cookie: visitor.cookiesFor(httpUrl) },
        body: JSON.stringify(body),
      });
      assert.equal(started.status, 200, started.text);
      visitor.keep(httpUrl, started.headers);
      const back = await visitor.signInAt(started.body.data.url, login);
      return { visitor, path: back.slice(httpUrl.length) };
    }

    const finish = async (
      { visitor, path }: Awaited<ReturnType<typeof comeBack>>,
      headers: Record<string, string> = {},
    ): Promise<Answer> => {
      const { httpUrl } = api.started;
      const cookie = visitor.cookiesFor(httpUrl);
      const answer = await api.raw('GET', path, {
        headers: { 'sec-fetch-site': 'cross-site', cookie, ...headers },
      });
      visitor.keep(httpUrl, answer.headers);
      return answer;
    };

    async function signIn(login: string): Promise<Visitor> {
      const back = await comeBack(login);
      const answer = await finish(back);
      assert.equal(answer.status, 200, answer.text);
      return back.visitor;
    }

    const as = (visitor: Visitor) => ({ ...own(api), cookie: visitor.cookiesFor(api.started.httpUrl) });
    const sessionOf = (visitor: Visitor) => api.raw('GET', '/v1/session', { headers: as(visitor) });

    it('signs in, with the role of the group at once, and by a page that navigates', async () => {
      provider.people.set('ada', {
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        groups: ['silo-operators'],
      });
      const back = await comeBack('ada');
      const answer = await finish(back);
      assert.equal(answer.status, 200);
      assert.match(answer.text, /http-equiv="refresh" content="0;url=\.\.\/\.\.\/\.\.\/"/);
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
      const [session = '', transaction = ''] = answer.headers.getSetCookie();
      assert.match(session, /^granary_session=gs_[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
      assert.match(
        transaction,
        /^granary_sign_on=; Max-Age=0; Path=\/v1\/session\/oidc\/callback; HttpOnly; SameSite=Lax$/,
      );
      const { data } = (await sessionOf(back.visitor)).body;
      assert.deepEqual([data.kind, data.name, data.scopes], ['person', 'Ada Lovelace', ['read', 'operate']]);
      assert.deepEqual(data.grants, [
        {
          role: 'operator',
          scopes: ['read', 'operate'],
          facilities: ['north'],
          device_ids: null,
          source: 'oidc',
        },
      ]);
      const [person] = (await api.get('/v1/people')).body.data;
      assert.deepEqual(
        [person.login, person.state, person.has_single_sign_on, person.email],
        ['ada', 'active', true, 'ada@example.com'],
      );
      const [entry] = (await api.get('/v1/audit?action=signOn.callback')).body.data;
      assert.deepEqual(
        [entry.result, entry.actor.key_name, entry.input.body.groups],
        ['done', 'Ada Lovelace', ['silo-operators']],
      );
      assert.doesNotMatch(
        JSON.stringify(entry),
        new RegExp(new URLSearchParams(back.path.split('?')[1]).get('code') ?? '-'),
      );
    });

    it('a replayed callback gives one session', async () => {
      provider.people.set('ada', { groups: ['silo-operators'] });
      const visitor = await signIn('ada');
      const before = (await api.raw('GET', '/v1/sessions', { headers: as(visitor) })).body.data.length;
      const back = await comeBack('ada', visitor);
      const kept = visitor.cookiesFor(api.started.httpUrl);
      const both = await Promise.all([1, 2].map(() => finish(back, { cookie: kept })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403]);
      const again = await finish(back, { cookie: kept });
      assert.deepEqual([again.status, again.body.error.code], [403, 'sign_on_refused']);
      const after = (await api.raw('GET', '/v1/sessions', { headers: as(visitor) })).body.data.length;
      assert.ok(after <= before + 1, `${before} and then ${after}`);
    });

    it('a role that was removed at the provider is gone after the next sign-in, for earlier sessions too', async () => {
      provider.people.set('eve', { groups: ['silo-operators', 'viewers'] });
      const first = await signIn('eve');
      assert.deepEqual((await sessionOf(first)).body.data.scopes, ['read', 'operate']);
      provider.people.set('eve', { groups: ['viewers'] });
      await signIn('eve');
      assert.deepEqual((await sessionOf(first)).body.data.scopes, ['read']);
      provider.people.set('eve', { groups: [] });
      const refused = await finish(await comeBack('eve'));
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'no_role']);
      assert.equal((await sessionOf(first)).status, 401);
    });

    it('whoever has no group is refused, and is shown which groups came', async () => {
      provider.people.set('mallory', { groups: ['<script>alert(1)</script>', 'payroll'] });
      const html = await htmlOf(await comeBack('mallory'), 'en');
      assert.match(html, /<code>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/code>/);
      assert.match(html, /<code>payroll<\/code>/);
      assert.match(await htmlOf(await comeBack('mallory'), 'de-DE,de;q=0.9'), /keine Ihrer Gruppen/);
      assert.match(
        await htmlOf(await comeBack('mallory'), 'xx,pl-PL;q=0.8,de;q=0.5'),
        /lang="pl".*żadna z jego grup/,
      );
      const { status, body, headers } = await finish(await comeBack('mallory'));
      assert.deepEqual([status, body.error.code, headers.getSetCookie()], [403, 'no_role', []]);
      assert.match(body.error.message, /payroll/);
      const [last] = (await api.get('/v1/people/sign-ins')).body.data;
      assert.deepEqual(
        [last.result, last.subject, last.groups[1], last.person_id],
        ['no_role', 'mallory', 'payroll', null],
      );
      const people = (await api.get('/v1/people')).body.data;
      assert.ok(people.every((one: { login: string }) => one.login !== 'mallory'));
    });

    async function htmlOf(
      { visitor, path }: Awaited<ReturnType<typeof comeBack>>,
      language: string,
    ): Promise<string> {
      const { httpUrl } = api.started;
      const headers = {
        accept: 'text/html',
        'accept-language': language,
        cookie: visitor.cookiesFor(httpUrl),
      };
      const answer = await fetch(httpUrl + path, { headers });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      return await answer.text();
    }

    it('two people with one e-mail address stay two', async () => {
      for (const login of ['kim', 'kim2']) {
        provider.people.set(login, { name: 'Kim', email: 'kim@example.com', groups: ['viewers'] });
      }
      const [one, other] = [await signIn('kim'), await signIn('kim2')];
      const ids = await Promise.all([one, other].map(async (who) => (await sessionOf(who)).body.data.key_id));
      assert.notEqual(ids[0], ids[1]);
    });

    it('an invitation links an identity to the person it is of, and to nobody else, and a session alone links none', async () => {
      const { person, code } = (
        await api.post('/v1/people', { login: 'grace', name: 'Grace', grants: [{ role: 'engineer' }] })
      ).body.data;
      provider.people.set('grace.hopper', { groups: [] });
      const invited = await comeBack('grace.hopper', new Visitor(), START, { invite: code });
      assert.equal((await finish(invited)).status, 200);
      assert.equal((await sessionOf(invited.visitor)).body.data.key_id, person.person_id);
      const used = await api.raw('POST', START, {
        headers: { ...own(api), 'content-type': 'application/json' },
        body: JSON.stringify({ invite: code }),
      });
      assert.deepEqual([used.status, used.body.error.code], [403, 'sign_on_refused']);
      // A session alone must not add a second identity, which would outlive the session; an invitation may.
      const alone = await api.raw('POST', '/v1/session/oidc/link', { headers: as(invited.visitor) });
      assert.deepEqual([alone.status, alone.body.error.code], [403, 'forbidden']);
      provider.people.set('grace.two', { groups: [] });
      const invite = (await api.post(`/v1/people/${person.person_id}/invite`)).body.data.code;
      const linked = await comeBack('grace.two', new Visitor(), START, { invite });
      assert.equal((await finish(linked)).status, 200);
      assert.equal((await sessionOf(await signIn('grace.two'))).body.data.key_id, person.person_id);
      // An identity that belongs to another person is refused.
      provider.people.set('kim', { groups: ['viewers'] });
      await signIn('kim');
      const again = (await api.post(`/v1/people/${person.person_id}/invite`)).body.data.code;
      const taken = await finish(await comeBack('kim', new Visitor(), START, { invite: again }));
      assert.deepEqual([taken.status, taken.body.error.code], [403, 'sign_on_refused']);
      assert.match(taken.body.error.message, /another person/);
    });

    /** A browser that has this cookie here, and no session at the provider. */
    function browserWith(cookie: string): Visitor {
      const visitor = new Visitor();
      visitor.keep(api.started.httpUrl, new Headers([['set-cookie', cookie]]));
      return visitor;
    }
    const LINK = '/v1/session/oidc/link';
    const UNLINK = '/v1/me/identities/removal';

    it('is linked with the password of whoever has one, and not after their session has ended', async () => {
      const { person } = await signedIn(api, [{ role: 'viewer' }]);
      const enter = async () => cookieOf(await signInHere(api, { login: person.login, password: PASSWORD }));
      const cookie = await enter();
      const ask = (current_password?: string) =>
        api.raw('POST', LINK, {
          headers: { ...own(api), 'content-type': 'application/json', cookie },
          body: JSON.stringify({ ...(current_password === undefined ? {} : { current_password }) }),
        });
      for (const wrong of [undefined, 'not the password']) {
        const refused = await ask(wrong);
        assert.deepEqual([refused.status, refused.body.error.code], [403, 'wrong_password']);
      }
      provider.people.set('lin', { groups: [] });
      const given = { current_password: PASSWORD };
      const begun = await comeBack('lin', browserWith(cookie), LINK, given);
      await api.raw('DELETE', '/v1/session', { headers: { ...own(api), cookie } });
      const late = await finish(begun);
      assert.deepEqual([late.status, late.body.error.code], [403, 'sign_on_refused']);
      const again = await comeBack('lin', browserWith(await enter()), LINK, given);
      assert.equal((await finish(again)).status, 200);
      assert.equal((await sessionOf(await signIn('lin'))).body.data.key_id, person.person_id);
    });

    it('is unlinked by its person or by an administrator, and not where it is the only way in', async () => {
      const { person, ask } = await signedIn(api, [{ role: 'viewer' }]);
      const { login, person_id: id } = person;
      const enter = async () => browserWith(cookieOf(await signInHere(api, { login, password: PASSWORD })));
      const given = { current_password: PASSWORD };
      provider.people.set('una', { groups: ['silo-operators'] });
      const link = async () => finish(await comeBack('una', await enter(), LINK, given));
      assert.equal((await link()).status, 200);
      const visitor = await signIn('una');
      assert.deepEqual((await sessionOf(visitor)).body.data.key_id, id);
      const scopes = async () => (await ask('GET', '/v1/session')).body.data.scopes.sort();
      assert.deepEqual(await scopes(), ['operate', 'read']);
      for (const wrong of [{}, { current_password: 'not the password' }]) {
        const { status } = await ask('PUT', UNLINK, wrong);
        assert.equal(status, 'current_password' in wrong ? 403 : 400);
      }
      assert.deepEqual(await scopes(), ['operate', 'read']);
      const unlinked = await ask('PUT', UNLINK, given);
      assert.equal(unlinked.status, 200, unlinked.text);
      assert.equal(unlinked.body.data.person.has_single_sign_on, false);
      assert.deepEqual(await scopes(), ['read']);
      assert.equal((await sessionOf(visitor)).status, 401);
      const stranger = await signIn('una');
      const strangerId = (await sessionOf(stranger)).body.data.key_id;
      assert.notEqual(strangerId, id);
      const refused = await api.raw('PUT', UNLINK, {
        headers: { ...as(stranger), 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden']);
      assert.equal((await link()).body.error.code, 'sign_on_refused', 'it belongs to another person');
      const { data } = (await api.post(`/v1/people/${strangerId}/unlink`)).body;
      assert.deepEqual([data.has_single_sign_on, data.state, data.grants], [false, 'invited', []]);
      assert.equal((await sessionOf(stranger)).status, 401);
      assert.equal((await link()).status, 200);
      assert.equal((await sessionOf(await signIn('una'))).body.data.key_id, id);
      assert.equal((await api.post('/v1/people/per_none/unlink')).body.error.code, 'person_not_found');
      const { key } = (await ask('POST', '/v1/me/keys', { name: 'laptop', scopes: ['read'] })).body.data;
      const byKey = await api.raw('PUT', UNLINK, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
      assert.deepEqual([byKey.status, byKey.body.error.code], [403, 'forbidden']);
      const { text } = await api.get(`/v1/audit?key_id=${id}&action=me.unlink`);
      assert.ok(text.includes('me.unlink'));
    });

    it('is linked by nobody with a key of the person, or with a session of such a key', async () => {
      const { ask } = await signedIn(api, [{ role: 'viewer' }]);
      const { key } = (await ask('POST', '/v1/me/keys', { name: 'laptop', scopes: ['read'] })).body.data;
      const cookie = cookieOf(await signInHere(api, { api_key: key }));
      const body = JSON.stringify({ current_password: PASSWORD });
      for (const headers of [{ authorization: `Bearer ${key}` }, { ...own(api), cookie }]) {
        const json = { ...headers, 'content-type': 'application/json' };
        const refused = await api.raw('POST', LINK, { headers: json, body });
        assert.deepEqual([refused.status, refused.body.error.code], [403, 'forbidden']);
      }
    });

    it('gives nobody a way in that outlives the session of the provider', async () => {
      provider.people.set('lou', { groups: ['viewers'] });
      const visitor = await signIn('lou');
      const json = (who: Visitor) => ({ ...as(who), 'content-type': 'application/json' });
      const { session } = (await sessionOf(visitor)).body.data;
      const passkey = new SoftwarePasskey(api.started.httpUrl);
      const { challenge } = (await api.raw('POST', '/v1/session/challenge', { headers: own(api) })).body.data;
      const added = await api.raw('PUT', '/v1/me/passkeys', {
        headers: json(visitor),
        body: JSON.stringify({ name: 'phone', current_password: PASSWORD, ...passkey.created(challenge) }),
      });
      assert.deepEqual([added.status, added.body.error.code], [403, 'passkey_needs_password']);
      const { code } = (
        await api.raw('POST', '/v1/session/codes', {
          headers: json(visitor),
          body: JSON.stringify({ valid_seconds: 86_400 }),
        })
      ).body.data;
      const phone = browserWith(cookieOf(await signInHere(api, { code })));
      assert.equal((await sessionOf(phone)).body.data.session.expires_at, session.expires_at);
      await api.raw('DELETE', '/v1/session', { headers: as(visitor) });
      assert.equal((await sessionOf(phone)).status, 401);
    });

    it('a disabled person stays out, until a new invitation', async () => {
      provider.people.set('dan', { groups: ['viewers'] });
      const visitor = await signIn('dan');
      const id = (await sessionOf(visitor)).body.data.key_id;
      await api.post(`/v1/people/${id}/disable`);
      assert.equal((await sessionOf(visitor)).status, 401);
      const refused = await finish(await comeBack('dan'));
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'sign_on_refused']);
      await api.post(`/v1/people/${id}/invite`);
      assert.equal((await sessionOf(await signIn('dan'))).body.data.key_id, id);
    });

    it('a callback without the cookie of its beginning, or too late, is refused', async () => {
      provider.people.set('ada', { groups: ['silo-operators'] });
      const refused = async (answer: Answer) =>
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'sign_on_refused']);
      const back = await comeBack('ada');
      await refused(await finish({ ...back, visitor: new Visitor() }));
      await refused(await finish(back, { cookie: 'granary_sign_on=AAAA' }));
      await refused(await finish(back, { cookie: `granary_sign_on=${'A'.repeat(300)}` }));
      const { visitor } = await comeBack('ada');
      await refused(await finish({ ...back, visitor }));
      aheadMs = 11 * 60_000;
      await refused(await finish(back));
      aheadMs = 0;
      await refused(await finish({ ...back, path: '/v1/session/oidc/callback' }));
      assert.equal((await finish(back)).status, 200);
    });

    it('a sign-in that the person has cancelled at the provider is refused with a reason for administrators', async () => {
      const back = await comeBack('ada');
      const state = new URLSearchParams(back.path.split('?')[1]).get('state');
      const iss = encodeURIComponent(provider.issuer);
      const path = `/v1/session/oidc/callback?error=access_denied&state=${state}&iss=${iss}`;
      const refused = await finish({ ...back, path });
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'sign_on_refused']);
      assert.doesNotMatch(refused.text, /access_denied/);
      const [last] = (await api.get('/v1/people/sign-ins')).body.data;
      assert.equal(last.result, 'not_valid');
      assert.match(last.reason, /access_denied/);
    });

    it('a session ends after the time of the policy, also if it is used', async () => {
      provider.people.set('ada', { groups: ['silo-operators'] });
      const visitor = await signIn('ada');
      const { session } = (await sessionOf(visitor)).body.data;
      const hours = (Date.parse(session.expires_at) - Date.parse(session.created_at)) / 3_600_000;
      assert.equal(hours, 12);
      aheadMs = 13 * 3_600_000;
      assert.equal((await sessionOf(visitor)).status, 401);
      aheadMs = 0;
    });

    it('a dry run of the policy tells whose rights would change, and changes nothing', async () => {
      provider.people.set('ada', { groups: ['silo-operators'] });
      await signIn('ada');
      const { data } = (await api.put(`${POLICY}?dry_run=true`, { groups: [] })).body;
      const ada = data.people.find(({ groups }: { groups: string[] }) => groups.includes('silo-operators'));
      assert.deepEqual([data.dry_run, ada.grants], [true, []]);
      assert.equal((await api.get(POLICY)).body.data.groups.length, 2);
    });

    it('while the provider is away or hangs it says so, sessions live, and local sign-in works', async () => {
      provider.people.set('ada', { groups: ['silo-operators'] });
      const visitor = await signIn('ada');
      const waiting = await comeBack('ada');
      for (const state of ['away', 'hanging'] as const) {
        provider.become(state);
        const shown = (await api.get('/v1/identity-provider')).body.data;
        assert.equal(shown.answers, false);
        assert.ok(shown.failure.length > 0);
        const started = await api.raw('POST', START, { headers: own(api) });
        assert.deepEqual([started.status, started.body.error.code], [503, 'identity_provider_unavailable']);
        assert.equal((await sessionOf(visitor)).status, 200);
      }
      const finished = await finish(waiting);
      assert.deepEqual([finished.status, finished.body.error.code], [503, 'identity_provider_unavailable']);
      provider.become('working');
      assert.equal((await api.get('/v1/identity-provider')).body.data.answers, true);
      assert.equal((await finish(await comeBack('ada'))).status, 200);
    });

    it('is begun by pages of this service only, and by no key', async () => {
      const foreign = await api.raw('POST', START, {
        headers: { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
      });
      assert.deepEqual([foreign.status, foreign.body.error.code], [403, 'cross_site_request']);
      const key = await api.post('/v1/session/oidc/link');
      assert.deepEqual([key.status, key.body.error.code], [403, 'forbidden']);
    });
  },
  provider.settings,
  { now },
);
