import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openApp } from '@granary/app/app';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { eventually } from '@granary/testing/server/eventually';
import { createService } from '../../compose.ts';
import { createLogger } from '../../process/logging/logger.ts';
import { readSettings } from '../../process/settings.ts';
import { BackupSchedule } from './backup-schedule.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 20);

/** A data folder with a database, and an empty folder for backups. */
async function places(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'granary-schedule-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [dataDir, folder] = [join(root, 'data'), join(root, 'backups')];
  mkdirSync(folder);
  await (await openApp({ engine: 'sqlite', folder: dataDir })).close();
  const begin = (nowMs: number, more: Partial<ConstructorParameters<typeof BackupSchedule>[0]> = {}) => {
    const logger = createLogger('silent');
    const parts = { dataDir, folder, everyHours: 24, keep: 2, logger, now: () => nowMs, ...more };
    const schedule = new BackupSchedule(parts);
    schedule.start();
    t.after(() => schedule.stop());
    return schedule;
  };
  const backups = () => readdirSync(folder).filter((name) => name.endsWith('.db'));
  return { root, dataDir, folder, begin, backups };
}

test('a backup is made when the newest one is old enough, and the oldest ones are removed', async (t) => {
  const { begin, backups, folder } = await places(t);
  writeFileSync(join(folder, 'notes.db'), 'of somebody else');
  const first = begin(NOW_MS);
  await eventually(async () => first.status.lastBackupMs, NOW_MS);
  assert.deepEqual(backups(), ['granary-20261115T200000Z.db', 'notes.db']);
  await first.stop();

  const early = begin(NOW_MS + 23 * HOUR_MS);
  await eventually(async () => early.status.lastBackupMs, NOW_MS);
  await early.stop();
  assert.equal(backups().length, 2);

  for (const days of [1, 2]) {
    const next = begin(NOW_MS + days * DAY_MS);
    await eventually(async () => next.status.lastBackupMs, NOW_MS + days * DAY_MS);
    await next.stop();
  }
  assert.deepEqual(backups(), ['granary-20261116T200000Z.db', 'granary-20261117T200000Z.db', 'notes.db']);
});

test('a failure is shown until a backup succeeds, and removes nothing', async (t) => {
  const { begin, root, backups } = await places(t);
  const first = begin(NOW_MS, { keep: 1 });
  await eventually(async () => first.status.lastBackupMs, NOW_MS);
  await first.stop();
  const failing = begin(NOW_MS + DAY_MS, { keep: 1, dataDir: join(root, 'nowhere') });
  await eventually(async () => failing.status.isFailing, true);
  assert.equal(failing.status.lastBackupMs, NOW_MS);
  await failing.stop();
  assert.equal(backups().length, 1);
  const missing = begin(NOW_MS, { folder: join(root, 'not-mounted') });
  await eventually(async () => missing.status.isFailing, true);
  assert.deepEqual(readdirSync(root).sort(), ['backups', 'data']);
});

test('what an unfinished backup left is removed a day later, and not before', async (t) => {
  const { begin, folder } = await places(t);
  const [old, recent] = [
    'granary-20261110T000000Z-0a1b2c3d.partial',
    'granary-20261115T190000Z-0a1b2c3d.partial',
  ];
  for (const name of [old, `${old}-journal`, recent]) writeFileSync(join(folder, name), '');
  for (const name of [old, `${old}-journal`]) utimesSync(join(folder, name), 1, 1);
  utimesSync(join(folder, recent), NOW_MS / 1_000, NOW_MS / 1_000);
  const schedule = begin(NOW_MS);
  await eventually(async () => readdirSync(folder).includes(old), false);
  await schedule.stop();
  assert.deepEqual(readdirSync(folder).sort(), [recent, 'granary-20261115T200000Z.db']);
});

test('a running service makes backups and shows them, and a failure does not make it unready', async (t) => {
  const { dataDir, folder, root } = await places(t);
  const ready = async (backupDir: string, isDone: (backup: Record<string, unknown>) => boolean) => {
    const service = createService(
      readSettings({
        GRANARY_HTTP_PORT: '0',
        GRANARY_MQTT_PORT: '0',
        GRANARY_LOG_LEVEL: 'silent',
        GRANARY_LINK_THREADS: '0',
        GRANARY_DATA_DIR: dataDir,
        GRANARY_BACKUP_DIR: backupDir,
      }),
    );
    const { httpUrl } = await service.start();
    try {
      let status = 0;
      await eventually(async () => {
        const response = await fetch(`${httpUrl}/readyz`);
        status = response.status;
        const metrics = await (await fetch(`${httpUrl}/metrics`)).text();
        assert.match(metrics, /^granary_backup_failing [01]$/m);
        assert.match(metrics, /^granary_backup_last_timestamp_seconds [\d.]+$/m);
        return isDone(((await response.json()) as { backup: Record<string, unknown> }).backup);
      }, true);
      return status;
    } finally {
      await service.stop();
    }
  };
  assert.equal(
    await ready(folder, ({ last_at, is_failing }) => last_at !== null && is_failing === false),
    200,
  );
  assert.equal(readdirSync(folder).length, 1);
  assert.equal(await ready(join(root, 'missing'), ({ is_failing }) => is_failing === true), 200);
});
