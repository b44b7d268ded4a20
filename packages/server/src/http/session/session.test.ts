import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { eventually } from '@granary/testing/server/eventually';
import {
  type Answer,
  type Api,
  apiOf,
  describeRequests,
  describeService,
} from '@granary/testing/server/service';
import { createService } from '../../compose.ts';
import { readSettings } from '../../process/settings.ts';

const SESSION = '/v1/session';
const JSON_BODY = { 'content-type': 'application/json' };
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

const signIn = (api: Api, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  api.raw('POST', SESSION, { headers: { ...JSON_BODY, ...headers }, body: JSON.stringify(body) });

const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';', 1)[0] ?? '';

/** Makes a key, and the cookie of a browser that has signed in with that key. */
async function signedIn(
  api: Api,
  fields: object = {},
): Promise<{ key: string; keyId: string; cookie: string }> {
  const wanted = { name: 'shift leader', scopes: ['read', 'operate'], ...fields };
  const { key, key_id: keyId } = (await api.post('/v1/keys', wanted)).body.data;
  return { key, keyId, cookie: cookieOf(await signIn(api, { api_key: key })) };
}

const adminKeyOf = ({ started }: Api): string => started.adminKey.key;

const codeOf = ({ body }: Answer): string => body.error?.code;

const EVERYTHING = ['read', 'operate', 'configure', 'ingest', 'admin'];

describeRequests('sign-in', (api) => {
  test('with a key sets a cookie that no script and no other site can use', async () => {
    const answer = await signIn(api, { api_key: adminKeyOf(api) });
    assert.equal(answer.status, 200);
    assert.match(
      answer.headers.get('set-cookie') ?? '',
      /^granary_session=gs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const { session, ...caller } = answer.body.data;
    assert.deepEqual(caller, {
      key_id: caller.key_id,
      kind: 'service',
      personal_key_id: null,
      name: 'first admin key',
      grants: [{ role: null, scopes: EVERYTHING, facilities: null, device_ids: null, source: 'local' }],
      facilities: null,
      device_ids: null,
      scopes: EVERYTHING,
      expires_at: null,
      terminal: null,
    });
    assert.equal(Date.parse(session.expires_at) - Date.parse(session.created_at), 7 * DAY_MS);
    const headers = { cookie: `theme=dark; ${cookieOf(answer)}; last=1` };
    assert.deepEqual((await api.raw('GET', SESSION, { headers })).body, answer.body);
    assert.deepEqual((await api.get(SESSION)).body.data, { ...caller, session: null });
  });

  test('through TLS sets a cookie that is sent through TLS only', async () => {
    const answer = await signIn(
      api,
      { api_key: adminKeyOf(api) },
      { ...OWN_PAGE, origin: 'https://granary.example' },
    );
    assert.match(answer.headers.get('set-cookie') ?? '', /; Secure$/);
  });

  test('ends the session that the browser had before', async () => {
    const { cookie } = await signedIn(api);
    const next = await signIn(api, { api_key: adminKeyOf(api) }, { cookie, ...OWN_PAGE });
    assert.equal((await api.raw('GET', SESSION, { headers: { cookie } })).status, 401);
    assert.equal((await api.raw('GET', SESSION, { headers: { cookie: cookieOf(next) } })).status, 200);
  });

  test('gives the rights and limits of the key, and the audit log names the key', async () => {
    const { cookie, keyId } = await signedIn(api, { scopes: ['read'] });
    const headers = { cookie, ...OWN_PAGE };
    assert.equal((await api.raw('GET', '/v1/devices', { headers })).status, 200);
    const refused = await api.raw('POST', '/v1/keys', {
      headers: { ...headers, ...JSON_BODY },
      body: JSON.stringify({ name: 'x', scopes: ['admin'] }),
    });
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden']);
    const { data } = (await api.get(`/v1/audit?key_id=${keyId}`)).body;
    const entries = data.map(({ action, result }: Record<string, string>) => `${action} ${result}`);
    assert.deepEqual(entries, ['keys.create refused', 'session.create done']);
    assert.equal(JSON.stringify(data).includes('gk_'), false);
  });

  test('with a wrong key or code is refused, and changes nothing', async () => {
    for (const body of [{ api_key: 'gk_wrong' }, { code: 'gc_wrong' }]) {
      const answer = await signIn(api, body);
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'unauthorized']);
      assert.equal(answer.headers.has('set-cookie'), false);
    }
    for (const body of [{}, { api_key: 'a b' }, { api_key: 'gk_1', code: 'gc_1' }, { api_key: '' }]) {
      assert.deepEqual(codeOf(await signIn(api, body)), 'invalid_input', JSON.stringify(body));
    }
  });

  test('with the secret of a session instead of a key is refused', async () => {
    const { cookie } = await signedIn(api);
    const secret = cookie.slice('granary_session='.length);
    assert.equal((await signIn(api, { api_key: secret })).status, 401);
    assert.equal((await api.as(secret).get(SESSION)).status, 401);
    assert.equal((await signIn(api, { api_key: `session ${secret}` })).status, 400);
  });
});

describeRequests('a session', (api) => {
  const withCookie = (method: string, path: string, cookie: string, more: object = OWN_PAGE) =>
    api.raw(method, path, { headers: { cookie, ...more } });

  test('ends with sign-out, and its cookie is removed', async () => {
    const { cookie, keyId } = await signedIn(api);
    const other = await signedIn(api);
    const left = await withCookie('DELETE', SESSION, cookie);
    assert.deepEqual([left.status, left.body.data.key_id, left.body.data.session], [200, keyId, null]);
    assert.match(left.headers.get('set-cookie') ?? '', /^granary_session=; Max-Age=0; Path=\/; HttpOnly/);
    const after = await withCookie('GET', SESSION, cookie);
    assert.deepEqual([after.status, codeOf(after)], [401, 'unauthorized']);
    assert.equal((await withCookie('GET', SESSION, other.cookie)).status, 200);
  });

  test('ends when its key is revoked, also on an open stream', async () => {
    const { cookie, keyId } = await signedIn(api);
    const stream = await fetch(`${api.started.httpUrl}/v1/events`, { headers: { cookie } });
    assert.equal(stream.status, 200);
    const ended = stream.text();
    await api.delete(`/v1/keys/${keyId}`);
    assert.equal((await withCookie('GET', SESSION, cookie)).status, 401);
    await ended;
  });

  test('does not count beside a key, and a key that is not valid is refused beside a good cookie', async () => {
    const { cookie } = await signedIn(api);
    const withBoth = (authorization: string) => withCookie('GET', SESSION, cookie, { authorization });
    assert.equal((await withBoth(`Bearer ${adminKeyOf(api)}`)).body.data.session, null);
    assert.equal((await withBoth('Bearer gk_wrong')).status, 401);
    assert.equal((await withBoth('Bearer')).status, 401);
    // The password of a proxy is not meant for this service.
    assert.equal((await withBoth('Basic YTpi')).status, 200);
  });

  test('does not exist for a cookie with anything else', async () => {
    const { cookie } = await signedIn(api);
    const wrong = ['granary_session', 'granary_session=', 'granary_session=gs_', 'granary_session=%00'];
    wrong.push(`${cookie}x`, cookie.slice(0, -1), cookie.replace('=', '2='), 'x'.repeat(10_000), ';;;=;');
    wrong.push(`granary_session=gs_${'a'.repeat(43)}`);
    for (const one of wrong) {
      assert.equal((await withCookie('GET', SESSION, one)).status, 401, one);
    }
    assert.equal((await withCookie('GET', SESSION, `granary_session=x; ${cookie}`)).status, 200);
  });

  test('is not refused because of wrong keys from the same address', async () => {
    const { cookie } = await signedIn(api);
    for (let i = 0; i < 12; i++) await api.as('gk_wrong').get(SESSION);
    assert.equal((await api.as('gk_wrong').get(SESSION)).status, 429);
    assert.equal((await signIn(api, { code: 'gc_wrong' })).status, 429);
    assert.equal((await signIn(api, { api_key: adminKeyOf(api) })).status, 200);
    assert.equal((await withCookie('GET', SESSION, cookie)).status, 200);
  });
});

describeRequests('a request with the cookie of a session', (api) => {
  const own = () => api.started.httpUrl;
  const FOREIGN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'another site': { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' },
    'another port of this host': { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:9' },
    'a foreign page in a browser that tells its origin only': { origin: 'http://evil.example' },
    'a page without an origin': { origin: 'null' },
  };
  const post = (cookie: string, headers: Readonly<Record<string, string>>) =>
    api.raw('POST', '/v1/session/codes', { headers: { cookie, ...headers } });

  for (const [name, headers] of Object.entries(FOREIGN)) {
    test(`is refused from ${name}`, async () => {
      const { cookie } = await signedIn(api);
      const changed = await post(cookie, headers);
      assert.deepEqual([changed.status, codeOf(changed)], [403, 'cross_site_request']);
      const read = await api.raw('GET', '/v1/devices', { headers: { cookie, ...headers } });
      assert.equal(read.status, 403);
      assert.equal((await signIn(api, { api_key: adminKeyOf(api) }, headers)).status, 403);
    });
  }

  test('that changes something is refused where nothing tells the page', async () => {
    const { cookie } = await signedIn(api);
    assert.equal((await post(cookie, {})).status, 403);
    assert.equal((await post(cookie, { 'sec-fetch-site': 'none' })).status, 403);
  });

  test('is accepted from the page itself, and where a person has entered the address', async () => {
    const { cookie } = await signedIn(api);
    assert.equal((await post(cookie, OWN_PAGE)).status, 200);
    assert.equal((await post(cookie, { origin: own() })).status, 200);
    for (const headers of [{}, { 'sec-fetch-site': 'none' }, OWN_PAGE, { origin: own() }]) {
      assert.equal((await api.raw('GET', '/v1/devices', { headers: { cookie, ...headers } })).status, 200);
      assert.equal((await fetch(`${own()}/v1/devices`, { method: 'HEAD', headers: { cookie } })).status, 200);
    }
  });
});

describeRequests(
  'a service behind a proxy',
  (api) => {
    test('accepts the origin of its public address', async () => {
      const { cookie } = await signedIn(api);
      const post = (origin: string) => api.raw('POST', '/v1/session/codes', { headers: { cookie, origin } });
      assert.equal((await post('https://farm.example')).status, 200);
      assert.equal((await post('http://farm.example')).status, 403);
      assert.equal((await post('https://farm.example.evil.example')).status, 403);
    });
  },
  { GRANARY_PUBLIC_URL: 'https://farm.example' },
);

const ON_TWO_NODES = { broker: 'external' } as const;

describeService(
  'two nodes',
  (api, location) => {
    test('know the same sessions, and one browser of two signs in with a code', async (t) => {
      const place = location();
      // Nodes can share a PostgreSQL database only.
      if (place.engine !== 'postgres') return;
      const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
      t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }));
      const settings = readSettings({
        GRANARY_HTTP_PORT: '0',
        GRANARY_MQTT_PORT: '0',
        GRANARY_LOG_LEVEL: 'silent',
        GRANARY_LINK_THREADS: '0',
        GRANARY_DATA_DIR: dataDir,
        GRANARY_DATABASE_URL: place.url,
      });
      const other = createService(settings, ON_TWO_NODES);
      t.after(() => other.stop());
      const started = await other.start();
      const there = apiOf(
        () => started,
        () => adminKeyOf(api),
      );
      const statusThere = async (cookie: string): Promise<number> =>
        (await there.raw('GET', SESSION, { headers: { cookie } })).status;

      const { cookie } = await signedIn(api);
      assert.equal(await statusThere(cookie), 200);
      await api.raw('DELETE', SESSION, { headers: { cookie, ...OWN_PAGE } });
      await eventually(() => statusThere(cookie), 401);

      const revoked = await signedIn(api);
      assert.equal(await statusThere(revoked.cookie), 200);
      await api.delete(`/v1/keys/${revoked.keyId}`);
      await eventually(() => statusThere(revoked.cookie), 401);

      const { code } = (await api.post('/v1/session/codes')).body.data;
      const answers = await Promise.all([signIn(api, { code }), signIn(there, { code })]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
    });
  },
  {},
  ON_TWO_NODES,
);

const clock = { aheadMs: 0 };

describeRequests(
  'a sign-in code',
  (api) => {
    const newCode = async (body?: object): Promise<string> =>
      (await api.post('/v1/session/codes', body)).body.data.code;

    test('signs in once, with the rights of the key that made it', async () => {
      const { key, keyId } = await signedIn(api);
      const made = await api.as(key).post('/v1/session/codes');
      const { code, expires_at: expiresAt } = made.body.data;
      assert.match(code, /^gc_[\w-]{32}$/);
      const leftMs = Date.parse(expiresAt) - Date.now() - clock.aheadMs;
      assert.ok(leftMs > 9 * MINUTE_MS && leftMs <= 10 * MINUTE_MS, String(leftMs));
      const answer = await signIn(api, { code });
      assert.deepEqual([answer.status, answer.body.data.key_id], [200, keyId]);
      const again = await signIn(api, { code });
      assert.deepEqual([again.status, again.headers.has('set-cookie')], [401, false]);
      assert.match(again.body.error.message, /used before or has ended/);
    });

    test('signs in one of several who use it at the same moment', async () => {
      const code = await newCode();
      const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(api, { code })));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((one, other) => one - other),
        [200, 401, 401, 401],
      );
    });

    test('is answered again for the same Idempotency-Key, but not to another secret of the key', async () => {
      const { key, cookie } = await signedIn(api);
      const path = '/v1/session/codes';
      const headers = { 'idempotency-key': 'one link' };
      const first = await api.as(key).post(path, undefined, headers);
      const again = await api.as(key).post(path, undefined, headers);
      assert.deepEqual([again.status, again.body], [200, first.body]);
      const other = await api.raw('POST', path, { headers: { ...headers, ...OWN_PAGE, cookie } });
      assert.deepEqual([other.status, codeOf(other)], [422, 'idempotency_key_reused']);
    });

    test('ends after the time it was made for, and with its key', async () => {
      const { key, keyId } = await signedIn(api);
      const ofKey = (await api.as(key).post('/v1/session/codes')).body.data.code;
      await api.delete(`/v1/keys/${keyId}`);
      assert.equal((await signIn(api, { code: ofKey })).status, 401);
      const [short, long] = [await newCode({ valid_seconds: 60 }), await newCode({ valid_seconds: 86_400 })];
      clock.aheadMs += MINUTE_MS;
      assert.equal((await signIn(api, { code: short })).status, 401);
      assert.equal((await signIn(api, { code: long })).status, 200);
      for (const valid_seconds of [0, 59, 86_401, 1.5]) {
        assert.equal((await api.post('/v1/session/codes', { valid_seconds })).status, 400);
      }
    });

    test('ends with the session that made it, and so does what was signed in with it', async () => {
      const { key, cookie } = await signedIn(api);
      const enterFrom = async (maker: string): Promise<string> => {
        const made = await codeOfSession(maker);
        const answer = await signIn(api, { code: made });
        assert.equal(answer.status, 200, answer.text);
        return cookieOf(answer);
      };
      const codeOfSession = async (maker: string): Promise<string> =>
        (
          await api.raw('POST', '/v1/session/codes', {
            headers: { ...JSON_BODY, ...OWN_PAGE, cookie: maker },
            body: JSON.stringify({ valid_seconds: 86_400 }),
          })
        ).body.data.code;
      const phone = await enterFrom(cookie);
      const tablet = await enterFrom(phone);
      const waiting = [await codeOfSession(cookie), await codeOfSession(tablet)];
      const direct = cookieOf(await signIn(api, { api_key: key }));
      await api.raw('DELETE', SESSION, { headers: { ...OWN_PAGE, cookie } });
      const statusOf = async (of: string) =>
        (await api.raw('GET', SESSION, { headers: { cookie: of } })).status;
      assert.deepEqual(
        await Promise.all([cookie, phone, tablet, direct].map(statusOf)),
        [401, 401, 401, 200],
      );
      for (const code of waiting) assert.equal((await signIn(api, { code })).status, 401);
      const own = await codeOfSession(direct);
      await api.raw('DELETE', '/v1/sessions', { headers: { ...OWN_PAGE, cookie: direct } });
      assert.equal((await signIn(api, { code: own })).status, 401);
      assert.equal(await statusOf(direct), 200);
    });

    test('is not in the audit log', async () => {
      const code = await newCode();
      await signIn(api, { code });
      await signIn(api, { code });
      await eventually(
        async () => (await api.get('/v1/audit?action=session.create')).body.data.length > 1,
        true,
      );
      const { text } = await api.get('/v1/audit');
      assert.equal(text.includes('gc_'), false);
      assert.equal(text.includes('gs_'), false);
    });

    test('begins a session that ends after seven days without use', async () => {
      const cookie = cookieOf(await signIn(api, { code: await newCode() }));
      const status = async () => (await api.raw('GET', SESSION, { headers: { cookie } })).status;
      clock.aheadMs += 6 * DAY_MS;
      assert.equal(await status(), 200);
      // The use is stored a moment after the answer is sent.
      await eventually(async () => {
        const { body } = await api.raw('GET', SESSION, { headers: { cookie } });
        return Date.parse(body.data.session.expires_at) > Date.now() + clock.aheadMs + 6 * DAY_MS;
      }, true);
      clock.aheadMs += 6 * DAY_MS;
      assert.equal(await status(), 200);
      clock.aheadMs += 8 * DAY_MS;
      assert.equal(await status(), 401);
    });
  },
  {},
  { now: () => Date.now() + clock.aheadMs },
);

describeRequests(
  'a service without a console',
  (api) => {
    test('has no sign-in, and ignores cookies', async () => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await api.raw(method, SESSION, { headers: api.authorization });
        assert.deepEqual([answer.status, codeOf(answer)], [404, 'route_not_found']);
      }
      const cookie = `granary_session=gs_${'a'.repeat(43)}`;
      const answer = await api.raw('POST', '/v1/keys', { headers: { cookie } });
      assert.deepEqual([answer.status, codeOf(answer)], [401, 'unauthorized']);
    });
  },
  { GRANARY_CONSOLE: 'off' },
);
