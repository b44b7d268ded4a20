import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { granary, serviceEnv } from '@granary/testing/cli/granary-process';
import { runInProcess } from '@granary/testing/cli/in-process';
import { moveProgress } from './commands/service/migrate.ts';

const NOBODY = 'postgres://granary:a-password@127.0.0.1:1/granary';

test('migrate says what is missing, and never shows a password', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'granary-migrate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (args: readonly string[], env = {}) => runInProcess(['migrate', ...args], env);
  const noTarget = await run(['--from', folder]);
  assert.equal(noTarget.exitCode, 2);
  assert.match(
    noTarget.stderr,
    /^granary: to which database\?\n {2}Name it with GRANARY_DATABASE_URL or --to/,
  );
  const wrong = await run(['--from', folder, '--to', 'mysql://127.0.0.1/granary']);
  assert.equal(wrong.exitCode, 1);
  assert.equal(wrong.stderr, 'granary: the address of the database must be a postgres:// address');
  const noStore = await run(['--to', NOBODY], { GRANARY_DATA_DIR: folder });
  assert.equal(noStore.exitCode, 1);
  assert.match(noStore.stderr, /^granary: there is no database in \S+\n {2}Name the data folder/);
});

test('migrate ends with the code for what cannot be reached', async (t) => {
  const env = await serviceEnv(t);
  const service = granary(t, ['serve'], env);
  await service.printed(/HTTP +(http:\/\/\S+)/);
  service.signal('SIGTERM');
  await service.exited;
  const { exitCode, stderr } = await runInProcess(['migrate', '--yes', '--json'], {
    ...env,
    GRANARY_DATABASE_URL: NOBODY,
  });
  assert.equal(exitCode, 4);
  const { error } = JSON.parse(stderr);
  assert.match(error.message, /^cannot use the database at 127\.0\.0\.1:1\/granary: connect ECONNREFUSED/);
  assert.match(error.cure, /^Look whether the server runs/);
  assert.doesNotMatch(stderr, /a-password/);
});

test('the progress of a move is a bar that copying fills half, and comparing the rest', () => {
  const shown: string[] = [];
  const terminal = { columns: 100, hasColour: false, isUtf8: false };
  const show = () => moveProgress({ showProgress: (text) => shown.push(text), terminal });
  show()({ phase: 'copying', table: 'readings', rowsDone: 1_000, rows: 2_000 });
  show()({ phase: 'checking', table: 'readings', rowsDone: 1_000, rows: 2_000 });
  show()({ phase: 'copying', table: 'devices', rowsDone: 0, rows: 0 });
  assert.deepEqual(shown, [
    `[${'#'.repeat(8)}${'.'.repeat(22)}] 25 % copying readings, 1,000 of 2,000 rows`,
    `[${'#'.repeat(23)}${'.'.repeat(7)}] 75 % checking readings, 1,000 of 2,000 rows`,
    `[${'.'.repeat(30)}] 0 % copying devices, 0 of 0 rows`,
  ]);
});
