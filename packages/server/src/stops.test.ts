import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createService } from './compose.ts';
import { readSettings } from './settings.ts';
import { eventually } from './testing/eventually.ts';
import { startSilo } from './testing/scripted-silo.ts';
import { apiOf } from './testing/service.ts';

test('a stop reaches the device although nothing can be stored, and is stored afterwards', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'granary-test-'));
  const service = createService(
    readSettings({
      GRANARY_HTTP_PORT: '0',
      GRANARY_MQTT_PORT: '0',
      GRANARY_LOG_LEVEL: 'silent',
      GRANARY_DATA_DIR: dataDir,
    }),
  );
  const started = await service.start();
  const api = apiOf(
    () => started,
    () => started.adminKey.key,
  );
  const silo = await startSilo(api, 'urgent');
  const intruder = new DatabaseSync(join(dataDir, 'granary.db'));
  t.after(async () => {
    await silo.leave();
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const id = (await api.post(`${silo.path}/operations/feed`, { amount: 100 })).body.data.operation_id;
  await silo.take('start');
  await silo.ack({ operation_id: id, accepted: true });

  intruder.exec('BEGIN IMMEDIATE');
  const answered = api.post(`${silo.path}/operations/${id}/stop`);
  await silo.take('stop');
  const { status, body } = await answered;
  assert.deepEqual([status, body.data.status, body.data.operation_id], [200, 'stopping', id]);
  const statusOf = async () => (await api.get(`${silo.path}/operations/${id}`)).body.data.status;
  assert.equal(await statusOf(), 'in_progress');
  // The one that went with the answer, and one more from memory.
  await silo.take('stop');
  await silo.take('stop');
  intruder.exec('ROLLBACK');
  intruder.close();
  await eventually(statusOf, 'stopping');
  await silo.progress({ operation_id: id, state: 'stopped', amount_kg: 10 });
  assert.equal(await statusOf(), 'stopped');
});
