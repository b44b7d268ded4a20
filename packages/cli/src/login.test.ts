import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@granary/client';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { runInProcess } from '@granary/testing/cli/in-process';
import { ENTER, onTerminal } from '@granary/testing/cli/terminal-process';

const URL_LINE = /HTTP +(http:\/\/\S+)/;

test('a login at a terminal hides the key, and a wrong key is not stored', async (t) => {
  const settings = await serviceEnv(t);
  const service = granary(t, ['serve'], settings);
  const key = await service.adminKey();
  const url = await service.printed(URL_LINE);
  const env = { XDG_CONFIG_HOME: join(dirname(settings['GRANARY_DATA_DIR'] ?? ''), 'config') };

  const wrong = onTerminal(t, ['login', url, '--name', 'farm'], { env });
  await wrong.shown(/API key for .*:/);
  wrong.type(`gk_wrong${ENTER}`);
  assert.equal(await wrong.exited, 3);
  assert.match(wrong.text, /\(401 unauthorized\)/);

  const right = onTerminal(t, ['login', url, '--name', 'farm'], { env });
  await right.shown(/API key for .*:/);
  right.type(key + ENTER);
  assert.equal(await right.exited, 0, right.text);
  assert.match(right.text, /farm \(http.*\) is the current context/);
  assert.ok(!right.raw.includes(key));
  assert.equal(statSync(join(env.XDG_CONFIG_HOME, 'granary', 'contexts.json')).mode & 0o777, 0o600);

  const devices = granary(t, ['devices', '--json'], env);
  assert.equal(await devices.exited, 0, devices.stderr);
  assert.deepEqual(JSON.parse(devices.stdout), []);

  const narrow = onTerminal(t, ['keys', 'list'], { env: { ...env, LANG: 'C' }, columns: 40 });
  assert.equal(await narrow.exited, 0);
  assert.ok(narrow.raw.includes('\u001b[1mkey_'));
  for (const line of narrow.text.split('\n')) assert.ok(line.length <= 40, line);
  const plain = onTerminal(t, ['keys', 'list'], { env: { ...env, NO_COLOR: '1' }, columns: 200 });
  assert.equal(await plain.exited, 0);
  assert.match(plain.raw, /^KEY +NAME +SCOPES/);

  const list = granary(t, ['context', 'list'], env);
  assert.equal(await list.exited, 0);
  assert.equal(list.stdout, `CONTEXT  URL${' '.repeat(url.length - 3)}  CURRENT\nfarm     ${url}  yes\n`);
  const removed = granary(t, ['context', 'remove', 'farm'], env);
  assert.equal(await removed.exited, 0);
  const without = granary(t, ['devices', '--json'], { ...env, GRANARY_DATA_DIR: '/nonexistent' });
  assert.equal(await without.exited, 2);
  assert.match(JSON.parse(without.stderr).error.message, /there is no API key/);
});

test('a login in the browser gets a key of the person, and a logout ends it', async (t) => {
  const settings = await serviceEnv(t);
  const service = granary(t, ['serve'], settings);
  const admin = createClient({ baseUrl: await service.printed(URL_LINE), apiKey: await service.adminKey() });
  const url = await service.printed(URL_LINE);
  const env = { XDG_CONFIG_HOME: join(dirname(settings['GRANARY_DATA_DIR'] ?? ''), 'config') };
  const { code } = await admin.people.invite({ login: 'ada', name: 'Ada', grants: [{ role: 'operator' }] });
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const post = (path: string, body: object, more = {}) =>
    fetch(`${url}${path}`, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const signedIn = await post('/v1/session', { invite: code, password: 'three geese behind the barn' });
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

  const shown = Promise.withResolvers<string>();
  const login = runInProcess(['login', url, '--web', '--name', 'farm'], env, { printError: shown.resolve });
  const [, port, state = ''] = /#\/me\?command=(\d+)\.([\w-]+)&on=/.exec(await shown.promise) ?? [];
  const command = `http://127.0.0.1:${port}/`;
  const send = (form: Record<string, string>) =>
    fetch(command, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const made = await post('/v1/me/keys', { name: 'laptop', scopes: ['read', 'operate'] }, { cookie });
  const { key } = ((await made.json()) as { data: { key: string } }).data;
  assert.equal((await send({ state: 'of another', key })).status, 400);
  assert.equal((await send({ state, key: 'gk_short' })).status, 400);
  assert.equal((await send({ state, key, more: 'x'.repeat(2_000) })).status, 400);
  const inAddress = await fetch(`${command}?${new URLSearchParams({ state, key })}`, { redirect: 'manual' });
  assert.equal(inAddress.status, 400);
  const taken = await send({ state, key });
  assert.deepEqual([taken.status, taken.headers.get('location')], [303, `${url}/#/me`]);
  const { exitCode, stdout } = await login;
  assert.equal(exitCode, 0, stdout);
  const run = async (...args: string[]) => {
    const result = await runInProcess(args, { ...env, USER: 'somebody' });
    return `${result.exitCode} ${result.stdout}${result.stderr}`;
  };
  assert.match(await run('devices', '--json'), /^0 \[\]$/);
  assert.match(await run('people', 'list'), /403 forbidden/, 'the person is no administrator');
  assert.match(await run('logout'), /farm is forgotten, and its key has ended/);
  await assert.rejects(createClient({ baseUrl: url, apiKey: key }).session.get(), /not valid/);
  assert.match(await run('logout'), /^2 .*there is no current context/);
});
