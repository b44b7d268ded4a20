import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type App, openApp } from '@granary/app/app';
import { createService } from './compose.ts';
import { draftKey } from './process/keys/keyring.ts';
import { hashSecret } from './process/keys/secrets.ts';
import { readSettings } from './process/settings.ts';
import { StartError } from './process/start-error.ts';

let dataDir = '';
const taken = createServer();

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'granary-start-'));
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
});

after(async () => {
  taken.close();
  await rm(dataDir, { recursive: true, force: true });
});

const serviceWith = (env: Record<string, string>) =>
  createService(
    readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_DATA_DIR: dataDir,
      ...env,
    }),
  );

const oneLine = (text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartError, String(error));
  assert.match(error.message, text);
  assert.equal(error.message.includes('\n'), false);
  return true;
};

const takenPort = () => String((taken.address() as AddressInfo).port);

test('a port in use is one error line, and all parts that were started are stopped', async () => {
  await assert.rejects(
    serviceWith({ GRANARY_HTTP_PORT: takenPort() }).start(),
    oneLine(/GRANARY_HTTP_PORT.*in use/),
  );
  await assert.rejects(
    serviceWith({ GRANARY_MQTT_PORT: takenPort() }).start(),
    oneLine(/GRANARY_MQTT_PORT.*in use/),
  );
  const service = serviceWith({});
  await service.start();
  await service.stop();
});

test('a second service on the same data folder is refused, the first continues', async () => {
  const first = serviceWith({});
  const { httpUrl } = await first.start();
  await assert.rejects(serviceWith({}).start(), oneLine(/in use by another process/));
  assert.equal((await fetch(`${httpUrl}/readyz`)).status, 200);
  await first.stop();
});

test('a data folder that cannot be created is one error line', async () => {
  const file = join(dataDir, 'a-file');
  await writeFile(file, '');
  await assert.rejects(
    serviceWith({ GRANARY_DATA_DIR: join(file, 'below') }).start(),
    oneLine(/data folder/),
  );
});

test('a database that cannot be reached is one error line without its password', async () => {
  const url = 'postgres://granary:hunter2@127.0.0.1:1/granary';
  await assert.rejects(serviceWith({ GRANARY_DATABASE_URL: url }).start(), (error) => {
    oneLine(/./)(error);
    assert.equal(String(error).includes('hunter2'), false);
    return true;
  });
});

test('the admin key is created once, in a file that only its owner can read, and stays the same', async () => {
  const folder = join(dataDir, 'keys');
  const first = serviceWith({ GRANARY_DATA_DIR: folder });
  const { adminKey } = await first.start();
  await first.stop();
  assert.equal(adminKey.isUnused, true);
  const file = join(folder, 'admin-key');
  assert.equal((await readFile(file, 'utf8')).trim(), adminKey.key);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const again = serviceWith({ GRANARY_DATA_DIR: folder });
  const { adminKey: kept, httpUrl } = await again.start();
  assert.deepEqual([kept.key, kept.isUnused], [adminKey.key, true], 'nobody has used it yet');
  const authorization = `Bearer ${kept.key}`;
  assert.equal((await fetch(`${httpUrl}/v1/devices`, { headers: { authorization } })).status, 200);
  await again.stop();
  const third = serviceWith({ GRANARY_DATA_DIR: folder });
  assert.equal((await third.start()).adminKey.isUnused, false);
  await third.stop();
});

const [FIRST, SECOND] = ['first-preset-key-of-at-least-32-chars', 'second-preset-key-of-at-least-32-chars'];

/** Starts the service with a preset key and returns the status of a request with another key. */
async function statusOfRequest(
  folder: string,
  preset: string,
  key: string,
  method = 'GET',
  path = '',
): Promise<number> {
  const service = serviceWith({ GRANARY_DATA_DIR: folder, GRANARY_ADMIN_KEY: preset });
  const { httpUrl } = await service.start();
  const headers = { authorization: `Bearer ${key}` };
  const { status } = await fetch(`${httpUrl}/v1/keys${path}`, { method, headers });
  await service.stop();
  return status;
}

async function inStore<T>(folder: string, work: (app: App) => Promise<T>): Promise<T> {
  const app = await openApp({ engine: 'sqlite', folder });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

test('a preset admin key is accepted, and the one before it no longer', async () => {
  const folder = join(dataDir, 'preset');
  assert.equal(await statusOfRequest(folder, FIRST, FIRST), 200);
  assert.equal(await statusOfRequest(folder, SECOND, FIRST), 401);
  assert.equal(await statusOfRequest(folder, SECOND, SECOND), 200);
});

test('a preset admin key that has the prefix of issued keys and no checksum is accepted', async () => {
  const preset = `gk_${'x'.repeat(46)}`;
  assert.equal(await statusOfRequest(join(dataDir, 'preset-gk'), preset, preset), 200);
});

test('a replaced preset admin key is refused, however many keys there are', async () => {
  const folder = join(dataDir, 'preset-many');
  await inStore(folder, async (app) => {
    const drafts = Array.from({ length: 1_001 }, () => draftKey({ name: 'k', scopes: ['read'] }, 0).stored);
    for (const half of [drafts.slice(0, 500), drafts.slice(500)]) {
      await Promise.all(half.map((stored) => app.keys.create(stored)));
    }
  });
  assert.equal(await statusOfRequest(folder, FIRST, FIRST), 200);
  assert.equal(await statusOfRequest(folder, SECOND, FIRST), 401);
});

test('a preset admin key that was revoked is valid again after the next start', async () => {
  const folder = join(dataDir, 'preset-revoked');
  assert.equal(await statusOfRequest(folder, FIRST, FIRST), 200);
  const keyId = await inStore(folder, async (app) => (await app.keys.findByHash(hashSecret(FIRST)))?.keyId);
  assert.equal(await statusOfRequest(folder, FIRST, FIRST, 'DELETE', `/${keyId}`), 200);
  assert.equal(await statusOfRequest(folder, FIRST, FIRST), 200);
});
