import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@granary/client';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';

const URL_LINE = /HTTP +(http:\/\/\S+)/;
const SILO = {
  device_id: 'silo-1',
  name: 'Silo',
  model: 'M',
  location: { facility: 'F', zone: 'Z' },
  capacity: { max: 1_000, unit: 'kg' as const },
};

test('backup and restore from the command line, around a running service', async (t) => {
  const env = await serviceEnv(t);
  const dataDir = env['GRANARY_DATA_DIR'] ?? '';
  const service = granary(t, ['serve'], env);
  const apiKey = await service.adminKey();
  const client = createClient({ baseUrl: await service.printed(URL_LINE), apiKey });
  await client.devices.silo.register(SILO);

  const backup = granary(t, ['backup'], env);
  assert.equal(await backup.exited, 0, backup.stderr);
  const file =
    /^(\S+) \([\d.]+ MB\) is written and checked:\n1 devices, 1 keys, no readings; schema \d+\n$/.exec(
      backup.stdout,
    )?.[1];
  assert.ok(file !== undefined, backup.stdout);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(backup.stderr, '');

  const inUse = granary(t, ['restore', file, '--force'], env);
  assert.equal(await inUse.exited, 1);
  assert.equal(inUse.stderr, `granary: the data folder ${dataDir} is in use by another process\n`);

  await client.devices.silo.register({ ...SILO, device_id: 'silo-2' });
  service.signal('SIGTERM');
  await service.exited;
  const refused = granary(t, ['restore', file], env);
  assert.equal(await refused.exited, 1);
  assert.match(refused.stderr, /^granary: .* has a database; --force replaces it.*\n$/);
  const restored = granary(t, ['restore', '--force', file], env);
  assert.equal(await restored.exited, 0, restored.stderr);
  assert.match(restored.stdout, /The replaced database is .*granary\.db\.before-\d{8}T\d{6}Z\n$/);

  const again = granary(t, ['serve'], env);
  const baseUrl = await again.printed(URL_LINE);
  const { data } = await createClient({ baseUrl, apiKey }).devices.silo.list();
  assert.deepEqual(
    data.map(({ device_id }) => device_id),
    ['silo-1'],
  );
});

test('the commands say in one line what is wrong with a place', async (t) => {
  const env = await serviceEnv(t);
  const dataDir = env['GRANARY_DATA_DIR'] ?? '';
  const lineOf = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const child = granary(t, args, { ...env, ...more });
    assert.equal(await child.exited, 1);
    assert.equal(child.stdout, '');
    assert.match(child.stderr, /^granary: .*\n$/);
    return child.stderr;
  };
  assert.match(await lineOf(['backup']), /there is no database in .*; GRANARY_DATA_DIR says where it is/);
  assert.match(await lineOf(['restore', join(dataDir, 'no.db')]), /there is no file .*no\.db/);
  rmSync(dataDir, { recursive: true, force: true });
  const elsewhere = { GRANARY_DATABASE_URL: 'postgres://someone:secret@127.0.0.1/granary' };
  for (const args of [['backup'], ['restore', 'a.db']]) {
    const line = await lineOf(args, elsewhere);
    assert.match(line, /use pg_dump and pg_restore/);
    assert.doesNotMatch(line, /secret/);
  }
});
