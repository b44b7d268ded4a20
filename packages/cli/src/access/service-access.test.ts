import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeAddresses, writeAddresses } from '@granary/server/process/addresses-file';
import { contextsFile, readContexts, writeContexts } from './contexts.ts';
import { serviceAccess } from './service-access.ts';

const FARM = { url: 'https://farm.example', api_key: 'gk_farm' };
const MILL = { url: 'https://mill.example:8443', api_key: 'gk_mill', silo_segment: 'scales' };

function emptyEnv(t: TestContext): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'granary-contexts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { XDG_CONFIG_HOME: folder, GRANARY_DATA_DIR: folder };
}

function storedEnv(t: TestContext): Record<string, string> {
  const env = emptyEnv(t);
  writeContexts(env, { current: 'farm', contexts: { farm: FARM, mill: MILL } });
  return env;
}

test('contexts are kept in a file for its owner only', (t) => {
  const env = emptyEnv(t);
  assert.deepEqual(readContexts(env), { current: null, contexts: {} });
  const contexts = { current: 'farm', contexts: { farm: FARM } };
  writeContexts(env, contexts);
  writeContexts(env, contexts);
  assert.equal(statSync(contextsFile(env)).mode & 0o777, 0o600);
  assert.deepEqual(readContexts(env), contexts);
});

test('a damaged file is named, and how to repair it', (t) => {
  const env = emptyEnv(t);
  writeContexts(env, { current: null, contexts: {} });
  for (const text of ['{', '[]', 'null', '{"contexts": {"a": {"url": 1}}}', '{"contexts": {"a": null}}']) {
    writeFileSync(contextsFile(env), text);
    assert.throws(() => readContexts(env), /contexts\.json does not have the form of a contexts file/);
  }
});

test('options come before the environment, the environment before contexts', (t) => {
  const env = storedEnv(t);
  const accessOf = (values: object, more: Readonly<Record<string, string>> = {}) => {
    const { baseUrl, apiKey } = serviceAccess(values, { ...env, ...more });
    return `${apiKey} ${baseUrl}`;
  };
  assert.equal(accessOf({}), 'gk_farm https://farm.example');
  assert.equal(accessOf({}, { GRANARY_CONTEXT: 'mill' }), 'gk_mill https://mill.example:8443');
  const set = { GRANARY_URL: 'http://a', GRANARY_API_KEY: 'gk_env', GRANARY_CONTEXT: 'mill' };
  assert.equal(accessOf({}, set), 'gk_env http://a');
  assert.equal(accessOf({ url: 'http://b' }, set), 'gk_env http://b');
  assert.equal(accessOf({ context: 'farm' }, set), 'gk_farm https://farm.example');
  assert.equal(accessOf({}, { GRANARY_API_KEY: 'gk_env' }), 'gk_env http://127.0.0.1:8080');
  assert.equal(serviceAccess({ context: 'mill' }, env).siloSegment, 'scales');
});

test('a stored key is sent only to the service that it was stored for', (t) => {
  const env = storedEnv(t);
  assert.equal(serviceAccess({ url: 'https://mill.example:8443/' }, env).apiKey, 'gk_mill');
  assert.throws(
    () => serviceAccess({ url: 'https://evil.example' }, env),
    /no API key for https:\/\/evil\.example/,
  );
  assert.throws(() => serviceAccess({ url: 'http://mill.example:8443' }, env), /no API key/);
});

test('without a login the admin key of the data folder opens the service of this machine, and no other', (t) => {
  const env = emptyEnv(t);
  assert.throws(
    () => serviceAccess({}, env),
    /no API key for http:\/\/127\.0\.0\.1:8080 \(there is no .*admin-key/,
  );
  writeFileSync(join(env['GRANARY_DATA_DIR'] ?? '', 'admin-key'), 'gk_admin\n');
  assert.equal(serviceAccess({}, env).apiKey, 'gk_admin');
  assert.equal(serviceAccess({}, { ...env, GRANARY_HTTP_PORT: '9080' }).baseUrl, 'http://127.0.0.1:9080');
  assert.throws(() => serviceAccess({ url: 'http://10.0.0.1' }, env), /for this machine only/);
});

test('the service that runs with the data folder is found where it listens, after flags, environment and contexts', async (t) => {
  const env = emptyEnv(t);
  const dataDir = env['GRANARY_DATA_DIR'] ?? '';
  writeFileSync(join(dataDir, 'admin-key'), 'gk_admin\n');
  const ports = { https: null, mqtt: null, mqtts: null };
  const urlIn = (more: Readonly<Record<string, string>> = {}, values: object = {}): string =>
    serviceAccess(values, { ...env, ...more }).baseUrl;

  await writeAddresses(dataDir, { ...ports, http: 'http://0.0.0.0:27180' });
  assert.equal(statSync(join(dataDir, 'addresses.json')).mode & 0o777, 0o600);
  assert.equal(urlIn(), 'http://127.0.0.1:27180');
  assert.equal(urlIn({ GRANARY_HTTP_PORT: '0' }), 'http://127.0.0.1:27180');
  assert.equal(urlIn({ GRANARY_URL: 'http://localhost:1' }), 'http://localhost:1');
  assert.equal(urlIn({}, { url: 'http://localhost:2' }), 'http://localhost:2');
  writeContexts(env, { current: 'farm', contexts: { farm: FARM } });
  assert.equal(urlIn(), FARM.url);
  writeContexts(env, { current: null, contexts: { farm: FARM } });

  await writeAddresses(dataDir, { ...ports, http: null, https: 'https://10.1.2.3:8443' });
  assert.deepEqual(
    [serviceAccess({}, env).baseUrl, serviceAccess({}, env).apiKey],
    ['https://10.1.2.3:8443', 'gk_admin'],
  );
  await removeAddresses(dataDir);
  assert.equal(urlIn(), 'http://127.0.0.1:8080');
});

test('the address of a service that was killed does not count, nor does a damaged file', async (t) => {
  const env = emptyEnv(t);
  const dataDir = env['GRANARY_DATA_DIR'] ?? '';
  writeFileSync(join(dataDir, 'admin-key'), 'gk_admin\n');
  const { pid } = spawnSync(process.execPath, ['--version']);
  for (const text of [JSON.stringify({ pid, http: 'http://127.0.0.1:27180' }), '{', 'null', '{"pid":"1"}']) {
    writeFileSync(join(dataDir, 'addresses.json'), text);
    assert.equal(serviceAccess({}, env).baseUrl, 'http://127.0.0.1:8080', text);
  }
});
