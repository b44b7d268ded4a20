import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, it } from 'node:test';
import { CLIENT, Visitor } from '@granary/testing/server/identity-provider';
import { type Answer, describeRequests } from '@granary/testing/server/service';
import { type MutableResponse, type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { pino } from 'pino';

const NOW_S = Math.floor(Date.now() / 1_000);
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** A provider that behaves as the test says, also wrongly. */
const provider = new OAuth2Server();
await provider.issuer.keys.generate('RS256');
await provider.start(0, 'localhost');
const issuer = provider.issuer.url ?? '';

const lines: string[] = [];
const logger = pino({}, { write: (line) => void lines.push(line) });

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (token: string): object =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

const change = (fields: object) => (token: MutableToken) => void Object.assign(token.payload, fields);
const rewrite = (rewritten: (token: string) => string) => (response: MutableResponse) => {
  const body = response.body as Record<string, unknown>;
  body['id_token'] = rewritten(String(body['id_token']));
};

interface Fault {
  readonly token?: (token: MutableToken) => void;
  readonly response?: (response: MutableResponse) => void;
  readonly userinfo?: object;
  readonly reason: RegExp;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'another issuer': { token: change({ iss: 'https://evil.example' }), reason: /iss/ },
  'another audience': { token: change({ aud: 'another client' }), reason: /aud/ },
  'several audiences, for another party': {
    token: change({ aud: [CLIENT.id, 'other'], azp: 'other' }),
    reason: /azp/,
  },
  'another nonce': { token: change({ nonce: 'another' }), reason: /nonce/ },
  'no nonce': { token: ({ payload }) => void delete payload['nonce'], reason: /nonce/ },
  'no subject': { token: ({ payload }) => void delete payload['sub'], reason: /sub/ },
  'a subject that is too long': { token: change({ sub: 'x'.repeat(256) }), reason: /sub/ },
  'a token that has expired': { token: change({ exp: NOW_S - 120, iat: NOW_S - 600 }), reason: /exp/ },
  'a token from the future': { token: change({ iat: NOW_S + 3_600, exp: NOW_S + 7_200 }), reason: /future/ },
  'a token that does not hold yet': { token: change({ nbf: NOW_S + 3_600 }), reason: /nbf/ },
  'no signature': {
    response: rewrite((token) => `${base64({ alg: 'none' })}.${base64(payloadOf(token))}.`),
    reason: /alg/,
  },
  'a signature with the secret of the client': {
    response: rewrite((token) => {
      const signed = `${base64({ alg: 'HS256' })}.${base64(payloadOf(token))}`;
      return `${signed}.${createHmac('sha256', CLIENT.secret).update(signed).digest('base64url')}`;
    }),
    reason: /alg/,
  },
  'a signature of something else': {
    response: rewrite((token) => {
      const [header, , signature] = token.split('.');
      return `${header}.${base64({ ...payloadOf(token), groups: ['admins'] })}.${signature}`;
    }),
    reason: /signature/,
  },
  'no token': {
    response: ({ body }) => void delete (body as Record<string, unknown>)['id_token'],
    reason: /id_token/i,
  },
  'a refused code': {
    response: (response) => {
      response.statusCode = 400;
      response.body = { error: 'invalid_grant' };
    },
    reason: /invalid_grant/,
  },
  'information about another person': {
    token: ({ payload }) => void delete payload['groups'],
    userinfo: { sub: 'another', groups: ['admins'] },
    reason: /sub/,
  },
};

describeRequests(
  'what a provider may send wrong',
  (api) => {
    const visitor = new Visitor();
    after(() => provider.stop());
    before(async () => {
      await api.put('/v1/sign-in-policy', { groups: [{ group: 'operators', role: 'operator' }] });
      provider.service.on('beforeTokenSigning', change({ sub: 'ada', name: 'Ada', groups: ['operators'] }));
    });

    async function signIn(): Promise<Answer> {
      const { httpUrl } = api.started;
      const started = await api.raw('POST', '/v1/session/oidc/start', { headers: { origin: httpUrl } });
      visitor.keep(httpUrl, started.headers);
      const redirected = await fetch(started.body.data.url, { redirect: 'manual' });
      const back = redirected.headers.get('location') ?? '';
      return await api.raw('GET', back.slice(httpUrl.length), {
        headers: { cookie: visitor.cookiesFor(httpUrl) },
      });
    }

    it('what is right is accepted', async () => {
      const answer = await signIn();
      assert.equal(answer.status, 200, answer.text);
    });

    for (const [name, { token, response, userinfo, reason }] of Object.entries(FAULTS)) {
      it(`${name} is refused, with a reason in the log and for administrators only`, async () => {
        lines.length = 0;
        const changeId = (one: MutableToken): void => {
          // Only the identity token is changed; the access token has no nonce.
          if (one.payload['aud'] === CLIENT.id || 'nonce' in one.payload) token?.(one);
        };
        provider.service.on('beforeTokenSigning', changeId);
        if (response !== undefined) provider.service.once('beforeResponse', response);
        if (userinfo !== undefined) {
          provider.service.once('beforeUserinfo', (answer: MutableResponse) => {
            answer.body = { ...userinfo };
          });
        }
        const answer = await signIn();
        provider.service.off('beforeTokenSigning', changeId);
        assert.deepEqual([answer.status, answer.body.error?.code], [403, 'sign_on_refused'], answer.text);
        assert.equal(answer.body.error.message, 'the sign-in was not accepted; begin again');
        assert.deepEqual(answer.headers.getSetCookie(), []);
        assert.match(lines.join('\n'), reason);
        const [last] = (await api.get('/v1/people/sign-ins?limit=1')).body.data;
        assert.equal(last.result, 'not_valid');
        assert.match(last.reason, reason);
        assert.doesNotMatch(lines.join('\n'), /eyJ/);
      });
    }

    it('a fault of the provider itself is no fault of the person', async () => {
      provider.service.once('beforeResponse', (response: MutableResponse) => {
        response.statusCode = 500;
        response.body = { error: 'server_error' };
      });
      const answer = await signIn();
      assert.deepEqual([answer.status, answer.body.error.code], [503, 'identity_provider_unavailable']);
    });

    it('Entra with too many groups is recognised', async () => {
      const leaveOut = ({ payload }: MutableToken): void => {
        delete payload['groups'];
        Object.assign(payload, { sub: 'many', _claim_names: { groups: 'src1' } });
      };
      provider.service.on('beforeTokenSigning', leaveOut);
      const answer = await signIn();
      provider.service.off('beforeTokenSigning', leaveOut);
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'no_role']);
      assert.match(answer.body.error.message, /too many for a token/);
      const [last] = (await api.get('/v1/people/sign-ins?limit=1')).body.data;
      assert.equal(last.result, 'groups_left_out');
    });

    const logoutToken = async (fields: object): Promise<string> =>
      await provider.issuer.buildToken({
        scopesOrTransform: (_header, payload) => {
          for (const name of ['nbf', 'scope']) delete payload[name];
          const usual = {
            iss: issuer,
            aud: CLIENT.id,
            iat: NOW_S,
            jti: Math.random().toString(),
            sub: 'ada',
          };
          Object.assign(payload, usual, { events: { [LOGOUT_EVENT]: {} } }, fields);
          for (const [name, value] of Object.entries(fields)) if (value === undefined) delete payload[name];
        },
      });
    const logOut = (token: string): Promise<Answer> =>
      api.raw('POST', '/v1/session/oidc-logout', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token, more: '1' }).toString(),
      });
    const session = () =>
      api.raw('GET', '/v1/session', {
        headers: { cookie: visitor.cookiesFor(api.started.httpUrl), 'sec-fetch-site': 'same-origin' },
      });

    it('a logout that is right ends the sessions of the person, and once only', async () => {
      const { httpUrl } = api.started;
      visitor.keep(httpUrl, (await signIn()).headers);
      assert.equal((await session()).status, 200);
      const token = await logoutToken({});
      const ended = await logOut(token);
      assert.equal(ended.status, 200, ended.text);
      assert.ok(ended.body.data.sessions >= 1);
      assert.equal((await session()).status, 401);
      visitor.keep(httpUrl, (await signIn()).headers);
      assert.equal((await logOut(token)).body.data.sessions, 0);
      assert.equal((await session()).status, 200);
      assert.equal((await logOut(await logoutToken({ sub: 'somebody else' }))).body.data.sessions, 0);
      assert.equal((await session()).status, 200);
    });

    const LOGOUT_FAULTS: Readonly<Record<string, readonly [object, RegExp]>> = {
      'another issuer': [{ iss: 'https://evil.example' }, /iss/],
      'another audience': [{ aud: 'other' }, /aud/],
      'no event': [{ events: {} }, /logout/],
      'no events': [{ events: undefined }, /events/],
      'a nonce': [{ nonce: 'x' }, /nonce/],
      'neither session nor person': [{ sub: undefined }, /neither/],
      'a session that is no text': [{ sid: 7 }, /sid/],
      'no time': [{ iat: undefined }, /iat/],
      'an old token': [{ iat: NOW_S - 3_600 }, /iat/],
      'a token from the future': [{ iat: NOW_S + 3_600 }, /iat/],
      'no id': [{ jti: undefined }, /jti/],
    };
    for (const [name, [fields, reason]] of Object.entries(LOGOUT_FAULTS)) {
      it(`a logout with ${name} ends nothing`, async () => {
        lines.length = 0;
        const answer = await logOut(await logoutToken(fields));
        assert.deepEqual([answer.status, answer.body.error?.code], [400, 'invalid_input'], answer.text);
        assert.match(lines.join('\n'), reason);
        assert.equal((await session()).status, 200);
      });
    }

    it('a logout without the signature of the provider ends nothing', async () => {
      const token = await logoutToken({});
      const forged = [
        `${base64({ alg: 'none' })}.${token.split('.')[1]}.`,
        `${token.slice(0, -6)}AAAAAA`,
        'none',
        '..',
        '',
      ];
      for (const one of forged) assert.equal((await logOut(one)).status, 400, one);
      assert.equal((await session()).status, 200);
    });
  },
  {
    GRANARY_OIDC_ISSUER: issuer,
    GRANARY_OIDC_CLIENT_ID: CLIENT.id,
    GRANARY_OIDC_CLIENT_SECRET: CLIENT.secret,
  },
  { logger },
);
