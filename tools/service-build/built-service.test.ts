import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@granary/client';
import { HOUR_MS, MINUTE_MS, toIso } from '@granary/contract/time';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { eventually } from '@granary/testing/server/eventually';
import { ensureService, SERVICE_FOLDER } from './build.ts';

const BUILT = join(SERVICE_FOLDER, 'granary.js');
const URL_LINE = /HTTP +(http:\/\/\S+)/;
const SILO = {
  device_id: 'silo-1',
  name: 'Silo',
  model: 'M',
  location: { facility: 'F', zone: 'Z' },
  capacity: { max: 1_000, unit: 'kg' as const },
};

before(() => ensureService());

test('the built service answers, writes, reads and writes YAML, makes a backup, and stops on a signal', async (t) => {
  const env = await serviceEnv(t);
  const backups = join(env['GRANARY_DATA_DIR'] ?? '', 'scheduled');
  await mkdir(backups, { recursive: true });
  const service = granary(t, ['serve'], { ...env, GRANARY_BACKUP_DIR: backups }, BUILT);
  const apiKey = await service.adminKey();
  const baseUrl = await service.printed(URL_LINE);
  const headers = { authorization: `Bearer ${apiKey}` };

  const client = createClient({ baseUrl, apiKey });
  await client.devices.silo.register(SILO);
  await client.telemetry.send('silo', 'silo-1', { ts: Date.now(), weight: 250 });
  await eventually(async () => (await client.telemetry.current('silo-1')).level?.current, 25);

  for (const path of [
    '/readyz',
    '/openapi.json',
    '/docs',
    '/docs/script.js',
    '/docs/style.css',
    '/metrics',
  ]) {
    assert.equal((await fetch(baseUrl + path)).status, 200, path);
  }

  const exported = await fetch(`${baseUrl}/v1/export`, {
    headers: { ...headers, accept: 'application/yaml' },
  });
  const document = await exported.text();
  assert.match(document, /^version: 1\ndevices:\n {2}- device_id: silo-1\n/);
  const applied = await fetch(`${baseUrl}/v1/apply?dry_run=true`, {
    method: 'POST',
    body: document,
    headers: { ...headers, 'content-type': 'application/yaml' },
  });
  assert.equal(applied.status, 200);

  const finished = async () => (await readdir(backups)).filter((file) => file.endsWith('.db'));
  await eventually(async () => (await finished()).length, 1);

  service.signal('SIGTERM');
  assert.equal(await service.exited, 0);
  assert.equal(service.stderr, '');
});

test('the built service has every acknowledged reading in its history, over closed buckets and with late ones', async (t) => {
  const service = granary(t, ['serve'], await serviceEnv(t), BUILT);
  const apiKey = await service.adminKey();
  const client = createClient({ baseUrl: await service.printed(URL_LINE), apiKey });
  await client.devices.silo.register(SILO);
  const firstMs = Date.now() - HOUR_MS;
  const minutes = Array.from({ length: 40 }, (_, minute) => minute);
  // Readings in order, so that buckets are closed one after another, and then late readings of the odd minutes.
  const sent = [
    ...minutes.filter((minute) => minute % 2 === 0),
    ...minutes.filter((minute) => minute % 2 === 1),
  ];
  for (const minute of sent) {
    await client.telemetry.send('silo', 'silo-1', { ts: firstMs + minute * MINUTE_MS, weight: minute });
  }
  const from = toIso(firstMs - HOUR_MS);
  const { points } = await client.telemetry.history('silo-1', { from, interval: '5m', aggregate: 'count' });
  assert.equal(
    points.reduce((sum, { value }) => sum + (value ?? 0), 0),
    sent.length,
  );
});

test('every part of the built command can be loaded, also those that a start does not need', async () => {
  const parts = (await readdir(SERVICE_FOLDER)).filter((file) => /^granary-.*\.js$/.test(file));
  assert.ok(parts.length > 10);
  for (const part of parts) await import(pathToFileURL(join(SERVICE_FOLDER, part)).href);
});
