import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
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
