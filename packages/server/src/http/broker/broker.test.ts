import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOf } from '@granary/contract/link/messages';
import { holdStorage } from '@granary/testing/app/held-storage';
import { type Api, apiOf, describeService, siloNamed } from '@granary/testing/server/service';

const SECRET = 'the-secret-of-the-broker-for-the-tests';
const SILOS = '/v1/siloscale/devices';
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const BEARER = { authorization: `Bearer ${SECRET}` };
const ALLOW = { result: 'allow', is_superuser: false, ok: true, error: '' };
const DENY = { result: 'deny', is_superuser: false, ok: false, error: 'not allowed' };

type Fields = Readonly<Record<string, string | number>>;

/** Asks as EMQX and mosquitto-go-auth do, the latter with `params_mode` json and form. */
const ask = async (api: Api, path: string, fields: Fields, isForm = false) => {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  const body = isForm ? String(new URLSearchParams(texts)) : JSON.stringify(fields);
  const headers = { ...BEARER, ...(isForm ? FORM_TYPE : JSON_TYPE) };
  return await api.raw('POST', `/v1/broker/${path}`, { headers, body });
};

describeService(
  'a broker that asks',
  (api, location) => {
    const register = async (deviceId: string): Promise<string> =>
      (await api.post(SILOS, siloNamed(deviceId))).body.data.credentials.secret;

    test('is told who may log in, in JSON and as a form, by status and in the body', async () => {
      const password = await register('silo-1');
      const login = { username: 'silo-1', password, clientid: 'silo-1' };
      for (const isForm of [false, true]) {
        const allowed = await ask(api, 'auth', login, isForm);
        assert.deepEqual([allowed.status, allowed.body], [200, ALLOW]);
        for (const wrong of [
          { password: 'wrong' },
          { password: '' },
          { password: 'x'.repeat(60_000) },
          { username: 'silo-2' },
          { clientid: 'silo-2' },
          { clientid: '' },
          { username: '+', clientid: '+' },
          { username: '#', clientid: '#' },
          { username: '', clientid: '' },
          { username: "silo-1' OR '1'='1", clientid: "silo-1' OR '1'='1" },
        ]) {
          const denied = await ask(api, 'auth', { ...login, ...wrong }, isForm);
          assert.deepEqual([denied.status, denied.body], [403, DENY], JSON.stringify(wrong).slice(0, 80));
        }
        const inBody = await ask(api, 'auth?deny=200', { ...login, password: 'wrong' }, isForm);
        assert.deepEqual([inBody.status, inBody.body], [200, DENY]);
      }
    });

    test('is told the topics of a device, and of no other one', async () => {
      const of = { username: 'silo-1', clientid: 'silo-1' };
      const status = async (fields: Fields, isForm = false) => (await ask(api, 'acl', fields, isForm)).status;
      for (const subject of ['telemetry', 'status', 'ack', 'progress'] as const) {
        const topic = topicOf('silo-1', subject);
        assert.equal(await status({ ...of, topic, acc: 2 }), 200);
        assert.equal(await status({ ...of, topic, acc: 2 }, true), 200);
        assert.equal(await status({ ...of, topic, action: 'publish' }), 200);
        for (const acc of [1, 3, 4]) assert.equal(await status({ ...of, topic, acc }), 403);
        assert.equal(await status({ ...of, topic, action: 'subscribe' }), 403);
      }
      for (const subject of ['command', 'config'] as const) {
        const topic = topicOf('silo-1', subject);
        for (const acc of [1, 4]) assert.equal(await status({ ...of, topic, acc }), 200);
        assert.equal(await status({ ...of, topic, action: 'subscribe' }), 200);
        for (const acc of [2, 3]) assert.equal(await status({ ...of, topic, acc }), 403);
      }
      const foreign = [
        '#',
        '+',
        '$SYS/#',
        '$CONTROL/#',
        'granary/#',
        'granary/nodes/x',
        'granary/v1/+/command',
        '',
        topicOf('silo-2', 'command'),
        topicOf('silo-2', 'telemetry'),
        'granary/v1/silo-1/#',
        '$share/granary/granary/v1/+/telemetry',
        `$share/x/${topicOf('silo-1', 'command')}`,
      ];
      for (const topic of foreign) {
        for (const acc of [1, 2, 3, 4]) assert.equal(await status({ ...of, topic, acc }), 403, topic);
      }
      const own = { topic: topicOf('silo-1', 'telemetry'), acc: 2 };
      assert.equal(await status({ username: 'silo-1', clientid: 'silo-2', ...own }), 403);
      const inBody = await ask(api, 'acl?deny=200', { ...of, topic: '#', action: 'subscribe' });
      assert.deepEqual([inBody.status, inBody.body], [200, DENY]);
    });

    test('must send its secret; a key of the API is none', async () => {
      const body = JSON.stringify({ username: 'a', password: 'b', clientid: 'a' });
      const sent = async (authorization: string) =>
        (await api.raw('POST', '/v1/broker/auth', { headers: { ...JSON_TYPE, authorization }, body })).status;
      const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
      assert.equal(await sent(BEARER.authorization), 403);
      assert.equal(await sent(basic(`granary:${SECRET}`)), 403, 'the device is refused, the broker is not');
      for (const wrong of [
        '',
        'Bearer ',
        'Bearer wrong',
        basic('granary:'),
        basic(SECRET.slice(1)),
        'Basic x',
      ])
        assert.equal(await sent(wrong), 401, wrong);
      assert.equal(await sent(api.authorization['authorization'] ?? ''), 401);
    });

    test('is told what is wrong with its question', async () => {
      const use = { username: 'silo-1', clientid: 'silo-1', topic: 'x' };
      for (const fields of [
        use,
        { ...use, acc: 5 },
        { ...use, acc: 1, action: 'publish' },
        { ...use, more: 1 },
      ]) {
        const refused = await ask(api, 'acl', fields);
        assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_input']);
      }
      assert.equal((await ask(api, 'auth', { username: 'a', password: 'b' })).status, 400);
      assert.equal((await ask(api, 'auth?deny=500', { ...use, password: 'b' })).status, 400);
      const twice = await api.raw('POST', '/v1/broker/auth', {
        headers: { ...BEARER, ...FORM_TYPE },
        body: 'username=a&username=b&password=c&clientid=a',
      });
      assert.equal(twice.status, 400);
    });

    test('is refused only the old secret after a replacement, and everything of a removed device', async () => {
      const before = await register('replaced');
      const { secret } = (await api.post(`${SILOS}/replaced/credentials`)).body.data;
      const status = async (password: string) =>
        (await ask(api, 'auth', { username: 'replaced', password, clientid: 'replaced' })).status;
      assert.deepEqual([await status(before), await status(secret)], [403, 200]);
      await api.delete(`${SILOS}/replaced`);
      assert.equal(await status(secret), 403);
    });

    test('is answered 503 while the storage is away, unless the secret was good before', async () => {
      const password = await register('known');
      const login = { username: 'known', password, clientid: 'known' };
      assert.equal((await ask(api, 'auth', login)).status, 200);
      const release = await holdStorage(location(), 'devices IN ACCESS EXCLUSIVE MODE');
      try {
        // A request that is not sent again when the storage does not answer.
        const once = apiOf(
          () => api.started,
          () => api.started.adminKey.key,
        );
        const unknown = await ask(once, 'auth', { ...login, password: 'other' });
        // SQLite still reads while its writer is held.
        const isAway = location().engine === 'postgres';
        assert.equal(unknown.status, isAway ? 503 : 403);
        assert.equal((await ask(api, 'auth', login)).status, 200);
      } finally {
        await release();
      }
    });
  },
  { GRANARY_BROKER_ACCESS: 'http', GRANARY_BROKER_SECRET: SECRET },
);

describeService('a service that no broker asks', (api) => {
  test('has no such address', async () => {
    assert.equal((await ask(api, 'auth', { username: 'a', password: 'b', clientid: 'a' })).status, 404);
  });
});
