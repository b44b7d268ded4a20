import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, type TestContext, test } from 'node:test';
import { createClient } from '@granary/client';
import { DAY_MS, toIso } from '@granary/contract/time';
import { describePostgres, WITHOUT_SCHEMA } from '@granary/testing/app/engines';
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
const READINGS = 200_000;
const SPACING_MS = 1_000;

type Env = Readonly<Record<string, string>>;

/** A store that takes some seconds to copy. */
async function fill(t: TestContext, env: Env, url: string): Promise<string> {
  const service = granary(t, ['serve'], env, BUILT);
  const apiKey = await service.adminKey();
  const client = createClient({ baseUrl: await service.printed(URL_LINE), apiKey });
  await client.devices.silo.register(SILO);
  await client.telemetry.send('silo', 'silo-1', { ts: Date.now(), weight: 250 });
  const running = granary(t, ['migrate', '--yes', '--to', url], env, BUILT);
  assert.equal(await running.exited, 1);
  assert.match(running.stderr, /is in use by another process\n {2}Stop the service first/);
  service.signal('SIGTERM');
  await service.exited;
  const database = new DatabaseSync(join(env['GRANARY_DATA_DIR'] ?? '', 'granary.db'));
  const firstMs = Date.now() - 10 * DAY_MS;
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${READINGS - 1})
    INSERT INTO readings (ts_ms, device_no, body)
    SELECT ${firstMs} + n * ${SPACING_MS}, 1, x'01130a0b' FROM numbers`);
  database.close();
  return apiKey;
}

before(() => ensureService());

describePostgres(
  'granary migrate',
  (engine) => {
    test('goes on after kill -9 and after Ctrl-C, and the service continues on PostgreSQL', async (t) => {
      const url = engine.location.engine === 'postgres' ? engine.location.url : '';
      const embedded = await serviceEnv(t);
      const env = { ...embedded, GRANARY_DATABASE_URL: url };
      const noTarget = granary(t, ['migrate'], embedded, BUILT);
      assert.equal(await noTarget.exited, 2);
      assert.match(noTarget.stderr, /^granary: to which database\?\n/);
      const apiKey = await fill(t, embedded, url);

      const migrate = (...args: readonly string[]) => granary(t, ['migrate', ...args], env, BUILT);
      const dryRun = migrate('--dry-run', '--json');
      assert.equal(await dryRun.exited, 0, dryRun.stderr);
      const plan = JSON.parse(dryRun.stdout);
      assert.equal(plan.action, 'begin');
      assert.ok(plan.rows > READINGS);
      const asking = migrate();
      assert.equal(await asking.exited, 5);
      assert.match(asking.stderr, /Add --yes/);

      const copied = async (): Promise<number> => {
        const [[exists] = []] = await engine.query("SELECT to_regclass('unfinished_move')::text");
        if (exists === null || exists === undefined) return 0;
        const [[progress] = []] = await engine.query('SELECT progress FROM unfinished_move');
        return JSON.parse(String(progress)).readings?.rows ?? 0;
      };
      const killed = migrate('--yes');
      await eventually(async () => (await copied()) > 0, true);
      killed.signal('SIGKILL');
      assert.equal(await killed.exited, null);

      const early = granary(t, ['serve'], { ...env, GRANARY_LOG_LEVEL: 'silent' }, BUILT);
      assert.equal(await early.exited, 1);
      assert.match(early.stderr, /^granary: the database has an unfinished copy of an embedded store/);

      const before = await copied();
      assert.ok(before < READINGS);
      const interrupted = migrate('--yes');
      await eventually(async () => (await copied()) > before, true);
      interrupted.signal('SIGINT');
      assert.equal(await interrupted.exited, 130, interrupted.stdout);
      assert.equal(
        interrupted.stderr,
        'granary: interrupted; the store is unchanged and the copy is not finished\n  Repeat the command: it goes on where it stopped.\n',
      );

      const last = migrate('--yes', '--json');
      assert.equal(await last.exited, 0, last.stderr);
      const done = JSON.parse(last.stdout);
      assert.equal(done.action, 'resume');
      assert.ok(done.rows_copied_before > before);
      assert.equal(done.rows, plan.rows);
      assert.doesNotMatch(last.stdout + last.stderr, new RegExp(`${new URL(url).password}@`));

      const service = granary(t, ['serve'], env, BUILT);
      const baseUrl = await service.printed(URL_LINE);
      const client = createClient({ baseUrl, apiKey });
      assert.equal((await client.telemetry.current('silo-1')).level?.current, 25);
      const range = `from=${toIso(Date.now() - 30 * DAY_MS)}&to=${toIso(Date.now())}`;
      const exported = await fetch(`${baseUrl}/v1/readings?${range}&sensor=weight`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const lines = (await exported.text()).trimEnd().split('\n');
      assert.equal(lines.length, 1 + READINGS + 1);
    });
  },
  WITHOUT_SCHEMA,
);
