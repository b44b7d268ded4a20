import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { startMessage } from './running/start-message.ts';

const LINK = /(http:\/\/127\.0\.0\.1:\d+)\/#sign-in=(gc_[\w-]{32})/;

async function signIn(link: string): Promise<Response> {
  const [, url, code] = LINK.exec(link) ?? [];
  const body = JSON.stringify({ code });
  return await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

async function serve(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const env = await serviceEnv(t);
  const service = granary(t, ['serve'], env);
  // The output of a service is usually a log, which must not contain a code.
  const url = await service.printed(/Console {4}(http:\/\/127\.0\.0\.1:\d+)\/\n/);
  await service.printed(/Ctrl\+C stops it/);
  assert.equal(service.stdout.includes('gc_'), false);
  return { ...env, GRANARY_URL: url };
}

test('console prints a link that signs in once', async (t) => {
  const env = await serve(t);
  const shown = granary(t, ['console'], env);
  assert.equal(await shown.exited, 0, shown.stderr);
  assert.match(shown.stdout, /^http:.*\nIt signs in once, until \d{4}-.*\n$/);
  const first = await signIn(shown.stdout);
  assert.equal(first.status, 200);
  assert.match(first.headers.get('set-cookie') ?? '', /^granary_session=gs_/);
  assert.equal((await signIn(shown.stdout)).status, 401);

  const asJson = granary(t, ['console', '--minutes', '60', '--json'], env);
  assert.equal(await asJson.exited, 0, asJson.stderr);
  const { url, expires_at: expiresAt } = JSON.parse(asJson.stdout);
  const leftS = (Date.parse(expiresAt) - Date.now()) / 1_000;
  assert.ok(leftS > 3_000 && leftS <= 3_600, String(leftS));
  assert.equal((await signIn(url)).status, 200);

  const tooLong = granary(t, ['console', '--minutes', '2000'], env);
  assert.equal(await tooLong.exited, 3);
  assert.match(tooLong.stderr, /valid_seconds/);
});

test('up prints a link that signs in', async (t) => {
  const env = await serviceEnv(t);
  const demo = granary(t, ['up', '--no-history'], env);
  const link = await demo.printed(/Console {4}(\S+) \(signs in once\)/);
  assert.equal((await signIn(link)).status, 200);
});

test('links bring the name of the account, which the page offers to whoever is asked for theirs, but not that of root', async (t) => {
  const env = await serve(t);
  for (const [account, fragment] of [
    ['Zoë Mill', /#sign-in=gc_[\w-]{32}&name=Zo%C3%AB%20Mill\n/],
    ['root', /#sign-in=gc_[\w-]{32}\n/],
  ] as const) {
    const shown = granary(t, ['console'], { ...env, GRANARY_ACTOR: '', USER: account });
    assert.equal(await shown.exited, 0, shown.stderr);
    assert.match(shown.stdout, fragment);
    assert.equal((await signIn(shown.stdout)).status, 200);
  }
  const demo = granary(t, ['up', '--empty'], { ...(await serviceEnv(t)), GRANARY_ACTOR: 'Cleo' });
  await demo.printed(/Console {4}\S+#sign-in=gc_[\w-]{32}&name=Cleo \(signs in once\)/);
});

test('up --empty starts no simulated devices', async (t) => {
  const env = await serviceEnv(t);
  const service = granary(t, ['up', '--empty'], env);
  const link = await service.printed(/Console {4}(\S+) \(signs in once\)/);
  assert.equal((await signIn(link)).status, 200);
  const listed = granary(t, ['devices', '--json'], env);
  assert.equal(await listed.exited, 0, listed.stderr);
  assert.deepEqual(JSON.parse(listed.stdout), []);
});

const STARTED = {
  httpUrl: 'http://127.0.0.1:8080',
  httpsUrl: null,
  mqttUrl: 'mqtt://127.0.0.1:1883',
  mqttsUrl: null,
  consoleUrl: null,
  adminKey: { key: 'gk_x', isUnused: false, file: 'admin-key' },
};

test('a service without the page does not name it', () => {
  const text = startMessage(STARTED, 'siloscale', true);
  assert.match(text, /\n {2}MQTT {7}mqtt:\/\/127\.0\.0\.1:1883\n {2}Admin key {2}kept in admin-key\n/);
});

test('the admin key is shown on a terminal until it is used, and elsewhere never', () => {
  const unused = { ...STARTED, adminKey: { ...STARTED.adminKey, isUnused: true } };
  assert.match(
    startMessage(unused, 'siloscale', true),
    /Admin key {2}gk_x \(shown until it is used, kept in admin-key\)/,
  );
  for (const text of [startMessage(unused, 'siloscale', false), startMessage(STARTED, 'siloscale', true)]) {
    assert.match(text, /Admin key {2}kept in admin-key\n/);
    assert.doesNotMatch(text, /gk_x/);
  }
});
