import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openApp } from '@granary/app/app';
import { createClient } from '@granary/client';
import { rawReadings } from '@granary/testing/app/raw-readings';
import { startPublisher } from '@granary/testing/server/devices/publisher';
import { eventually } from '@granary/testing/server/eventually';
import { siloNamed } from '@granary/testing/server/service';
import { startServiceProcess } from '@granary/testing/server/service-process';
import { backUp, restore } from '../background/backup/backup.ts';

const ADMIN_KEY = 'an-admin-key-for-the-backup-test-only';
const DEVICES = ['backup-1', 'backup-2', 'backup-3'];
const ACKNOWLEDGED_MIN = 500;

test('a backup that is made while devices publish has every reading that was acknowledged before it', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'granary-backup-'));
  t.after(() => rm(root, { recursive: true, force: true, maxRetries: 20 }));
  const live = { databaseUrl: null, dataDir: join(root, 'live') };
  const restored = { databaseUrl: null, dataDir: join(root, 'restored') };
  const service = await startIn(t, live.dataDir);
  const client = createClient({ baseUrl: service.httpUrl, apiKey: ADMIN_KEY });
  const publishers = await Promise.all(
    DEVICES.map(async (deviceId) => {
      const { credentials } = await client.devices.silo.register(siloNamed(deviceId));
      return startPublisher(new URL(service.mqttUrl), deviceId, credentials.secret);
    }),
  );
  t.after(() => {
    for (const publisher of publishers) publisher.abandon();
  });
  const hasEnough = () => publishers.every(({ acknowledged }) => acknowledged.length > ACKNOWLEDGED_MIN);
  await eventually(async () => hasEnough(), true);

  const before = publishers.map(({ acknowledged }) => [...acknowledged]);
  const { file } = await backUp(live, join(root, 'live.db'), Date.now());
  await assert.rejects(restore(live, file, Date.now(), { replace: true }), {
    message: /is in use by another process/,
  });
  const afterwards = await Promise.all(publishers.map((publisher) => publisher.stop()));
  assert.ok(afterwards.every((all, index) => all.length > (before[index]?.length ?? 0)));
  await service.stop();

  await restore(restored, file, Date.now(), { replace: false });
  const again = await startIn(t, restored.dataDir);
  const devices = await createClient({ baseUrl: again.httpUrl, apiKey: ADMIN_KEY }).devices.silo.list();
  assert.deepEqual(devices.data.map(({ device_id }) => device_id).sort(), DEVICES);
  await again.stop();
  const stored = new Set<string>();
  for (const { deviceNo, tsMs, a } of await rawReadings({ engine: 'sqlite', folder: restored.dataDir })) {
    stored.add(`${deviceNo} ${tsMs} ${a}`);
  }
  const app = await openApp({ engine: 'sqlite', folder: restored.dataDir });
  t.after(() => app.close());
  for (const [index, readings] of before.entries()) {
    const deviceNo = (await app.devices.find(DEVICES[index] ?? ''))?.deviceNo;
    for (const { tsMs, weightG } of readings) assert.ok(stored.has(`${deviceNo} ${tsMs} ${weightG}`));
  }
});

async function startIn(t: TestContext, dataDir: string) {
  const service = await startServiceProcess({ GRANARY_DATA_DIR: dataDir, GRANARY_ADMIN_KEY: ADMIN_KEY });
  t.after(() => service.kill());
  return service;
}
