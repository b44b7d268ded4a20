import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { createClient } from '@granary/client';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { newCertificate } from '@granary/testing/link/certificates';

const URL_LINE = /HTTP +(http:\/\/\S+)/;
const STOP_HINT = /Ctrl\+C stops it/;

type Env = Readonly<Record<string, string>>;

async function runCommand(t: TestContext, args: readonly string[], env: Env) {
  const child = granary(t, args, env);
  assert.equal(await child.exited, 0, child.stderr);
  return child.stdout;
}

test('serve prints its addresses, shows a new key once, and stops on a signal', async (t) => {
  const env = await serviceEnv(t);
  const first = granary(t, ['serve'], env);
  const key = await first.adminKey();
  const baseUrl = await first.printed(URL_LINE);
  assert.deepEqual((await createClient({ baseUrl, apiKey: key }).devices.silo.list()).data, []);
  first.signal('SIGTERM');
  assert.equal(await first.exited, 0);
  assert.equal(first.stderr, '');

  const second = granary(t, ['serve'], env);
  await second.printed(/Admin key {2}kept in .*admin-key/);
  assert.ok(!second.stdout.includes(key));
  await second.printed(STOP_HINT);
  second.signal('SIGINT');
  assert.equal(await second.exited, 0);
});

test('the commands of a data folder find the service at the port that it chose', async (t) => {
  const env = await serviceEnv(t);
  const { GRANARY_DATA_DIR = '' } = env;
  const service = granary(t, ['serve'], env);
  const url = await service.printed(URL_LINE);
  await service.printed(STOP_HINT);
  const here = { GRANARY_DATA_DIR, XDG_CONFIG_HOME: GRANARY_DATA_DIR };
  assert.equal(await runCommand(t, ['devices'], here), 'There are no such devices.\n');
  const { host } = new URL(url);
  assert.match(
    await runCommand(t, ['doctor'], here),
    new RegExp(`ports +HTTP ${host} belongs to the service\n.*MQTT .* belongs to the service`),
  );
  service.signal('SIGTERM');
  assert.equal(await service.exited, 0);
  await assert.rejects(stat(join(GRANARY_DATA_DIR, 'addresses.json')), { code: 'ENOENT' });
});

test('settings that are wrong are all named, without a stack', async (t) => {
  const child = granary(t, ['serve'], { GRANARY_HTTP_PORT: 'x', GRANARY_RATE_LIMIT: '-1' });
  assert.equal(await child.exited, 1);
  assert.match(
    child.stderr,
    /^granary: these settings are not usable:\n {2}GRANARY_HTTP_PORT .*\n {2}GRANARY_RATE_LIMIT .*\n$/,
  );
});

test('a port in use is one clear line', async (t) => {
  const running = granary(t, ['serve'], await serviceEnv(t));
  const { port } = new URL(await running.printed(URL_LINE));
  const child = granary(t, ['serve'], {
    ...(await serviceEnv(t)),
    GRANARY_HTTP_PORT: port,
    GRANARY_LOG_LEVEL: 'silent',
  });
  assert.equal(await child.exited, 1);
  assert.ok(child.stderr.startsWith(`granary: GRANARY_HTTP_PORT (127.0.0.1:${port}): that port is in use`));
  assert.match(child.stderr, /^.*\n$/);
});

test('serve answers HTTPS, reads a replaced certificate on SIGHUP, and warns about ports without TLS', async (t) => {
  const env = await serviceEnv(t);
  const folder = dirname(env['GRANARY_DATA_DIR'] ?? '');
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const write = async (name: string) => {
    const { cert, key } = newCertificate(name);
    await Promise.all([writeFile(files.cert, cert), writeFile(files.key, key)]);
  };
  await write('first');
  const tls = { GRANARY_TLS_CERT: files.cert, GRANARY_TLS_KEY: files.key };
  const ports = { GRANARY_HTTPS_PORT: '0', GRANARY_MQTTS_PORT: '0', GRANARY_HTTP_HOST: '0.0.0.0' };
  const child = granary(t, ['serve'], { ...env, ...tls, ...ports });
  const httpsUrl = await child.printed(/HTTP +http:\/\/\S+ and (https:\/\/\S+)/);
  await child.printed(/MQTT +mqtt:\/\/\S+ and mqtts:\/\/\S+/);
  assert.equal(child.stdout.match(/NOT ENCRYPTED/g)?.length, 1);
  const { port } = new URL(httpsUrl);
  const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  assert.equal(socket.getPeerCertificate().subject.CN, 'first');
  await write('second');
  child.signal('SIGHUP');
  await child.printed(/"subject":"CN=second".*new TLS certificate in use/);
  child.signal('SIGTERM');
  assert.equal(await child.exited, 0);
});

test('demo runs a farm that devices list shows, and keys are managed from the command line', async (t) => {
  const env = await serviceEnv(t);
  const demo = granary(t, ['demo', '--no-history', '--interval', '1'], env);
  const key = await demo.adminKey();
  const access = { GRANARY_URL: await demo.printed(URL_LINE), GRANARY_API_KEY: key };

  assert.match(await runCommand(t, ['devices', 'list'], access), /\nsilo-01 +Dairy concentrate /);
  const registration = ['--id', 'silo-77', '--name', 'New', '--model', 'M', '--facility', 'F', '--zone', 'Z'];
  const registered = await runCommand(
    t,
    ['devices', 'register', ...registration, '--capacity', '5000'],
    access,
  );
  assert.match(registered, /^username {2}silo-77\nsecret {4}\S+\n/);

  const created = await runCommand(t, ['keys', 'create', '--name', 'viewer', '--scope', 'read'], access);
  const [viewerKey = ''] = created.split('\n');
  const keyId = /This is (\S+)\./.exec(created)?.[1] ?? '';
  const rotated = await runCommand(t, ['keys', 'rotate', keyId, '--overlap', '0'], access);
  assert.notEqual(rotated.split('\n')[0], viewerKey);
  const newKeyId = /This is (\S+)\./.exec(rotated)?.[1] ?? '';
  assert.match(await runCommand(t, ['keys', 'revoke', newKeyId], access), /\(viewer\) is revoked\.\n$/);
  assert.match(
    await runCommand(t, ['keys', 'list'], access),
    new RegExp(`\\n${newKeyId} +viewer +read .*revoked`),
  );

  const refused = granary(t, ['keys', 'list'], { ...access, GRANARY_API_KEY: viewerKey });
  assert.equal(await refused.exited, 3);
  assert.match(
    refused.stderr,
    /^granary: .*\(401 unauthorized\)\n {2}The key is unknown, revoked or expired: .*\n$/,
  );

  demo.signal('SIGTERM');
  assert.equal(await demo.exited, 0);
  assert.equal(demo.stderr, '');
});

test('simulate connects to a running service and leaves it running', async (t) => {
  const env = await serviceEnv(t);
  const service = granary(t, ['serve'], env);
  const key = await service.adminKey();
  const baseUrl = await service.printed(URL_LINE);
  const mqttUrl = await service.printed(/MQTT +(mqtt:\/\/\S+)/);
  const { GRANARY_DATA_DIR = '' } = await serviceEnv(t);
  await mkdir(GRANARY_DATA_DIR, { recursive: true });
  const args = [
    'simulate',
    '--url',
    baseUrl,
    '--mqtt',
    mqttUrl,
    '--no-history',
    '--fault',
    'silo-02:stuck,rover-01:stuck,weather-01:dropout',
  ];
  const farm = granary(t, args, { GRANARY_API_KEY: key, GRANARY_DATA_DIR });
  await farm.printed(/farm: registered 13 silos, 4 rovers and drones, 2 weather stations/);
  await farm.printed(/farm: running/);
  farm.signal('SIGINT');
  assert.equal(await farm.exited, 0);
  const { data } = await createClient({ baseUrl, apiKey: key }).devices.silo.list();
  assert.equal(data.length, 13);
});
