import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { DAY_MS, toIso } from '@granary/contract/time';
import { describePostgres, type TestEngine } from '@granary/testing/app/engines';
import { batchOf, NOW_MS, reading, registerDevice } from '@granary/testing/app/fixtures';
import { Client } from 'pg';

const nameOf = (timeMs: number): string => `readings_${toIso(timeMs).slice(0, 10).replaceAll('-', '_')}`;

/** Reads all tables in one transaction, as `pg_dump` does, until it is ended. */
async function startDump(engine: TestEngine): Promise<Client> {
  assert(engine.location.engine === 'postgres');
  const dump = new Client(engine.location.url);
  await dump.connect();
  await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { rows } = await dump.query(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of rows) await dump.query(`LOCK TABLE ${name} IN ACCESS SHARE MODE`);
  return dump;
}

describePostgres('partitions of raw readings', (engine) => {
  const dumps: Client[] = [];
  afterEach(async () => {
    await Promise.all(dumps.splice(0).map((dump) => dump.end()));
  });
  const beginDump = async (): Promise<void> => void dumps.push(await startDump(engine));

  const partitions = async (): Promise<unknown[]> =>
    (
      await engine.query(
        `SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
         WHERE inhparent = 'readings'::regclass AND NOT inhdetachpending ORDER BY relname`,
      )
    ).flat();

  const tables = async (): Promise<unknown[]> =>
    (
      await engine.query(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^readings_2'`)
    ).flat();

  it('exist for today and the next days as soon as the database is open', async () => {
    const beforeMs = Date.now();
    await engine.open();
    if (toIso(beforeMs).slice(0, 10) !== toIso(Date.now()).slice(0, 10)) return;
    const days = [0, 1, 2, 3].map((day) => nameOf(beforeMs + day * DAY_MS));
    assert.deepEqual(await partitions(), days);
  });

  it('are added while a dump reads all tables, so that the first reading of a new day is stored at once', async () => {
    const app = await engine.open();
    const deviceNo = await registerDevice(app);
    await beginDump();
    const append = (tsMs: number) =>
      app.telemetry.append(batchOf({ readings: [reading(deviceNo, tsMs, { weight: 1 })] }));
    assert.partialDeepStrictEqual(await append(Date.now() + DAY_MS), { stored: 1 });
    // No partition was prepared for this day.
    assert.partialDeepStrictEqual(await append(NOW_MS - 500 * DAY_MS), { stored: 1 });
    assert((await partitions()).includes(nameOf(NOW_MS - 500 * DAY_MS)));
  });

  it('are dropped after a dump that reads them, which nobody else notices', async () => {
    const app = await engine.openWithLimits();
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 400 * DAY_MS;
    const old = nameOf(oldMs);
    const append = (tsMs: number) =>
      app.telemetry.append(batchOf({ readings: [reading(deviceNo, tsMs, { weight: 1 })] }));
    const limits = { rawBeforeMs: oldMs + 2 * DAY_MS, fiveMinutesBeforeMs: 0, rowsMax: 1_000 };
    while ((await app.telemetry.expire(limits)) > 0);
    await append(oldMs);
    await beginDump();
    const expired = app.telemetry.expire(limits);
    // These readings are stored while the old day waits for the dump, in a prepared day and in a new one.
    assert.partialDeepStrictEqual(await append(Date.now()), { stored: 1 });
    assert.partialDeepStrictEqual(await append(NOW_MS - 300 * DAY_MS), { stored: 1 });
    assert.equal(await expired, 1);
    assert.equal(await app.telemetry.expire(limits), 0, 'it is tried again in the next round');
    assert(!(await partitions()).includes(old), 'its readings are no longer seen');
    assert((await tables()).includes(old));
    await dumps.pop()?.end();
    while ((await app.telemetry.expire(limits)) > 0);
    assert(!(await tables()).includes(old));
  });

  it('are dropped also if a node ended after it had detached one', async () => {
    const app = await engine.open();
    const deviceNo = await registerDevice(app);
    const oldMs = NOW_MS - 450 * DAY_MS;
    await app.telemetry.append(batchOf({ readings: [reading(deviceNo, oldMs, { weight: 1 })] }));
    await engine.query(`ALTER TABLE readings DETACH PARTITION ${nameOf(oldMs)}`);
    const limits = { rawBeforeMs: oldMs + 2 * DAY_MS, fiveMinutesBeforeMs: 0, rowsMax: 1_000 };
    while ((await app.telemetry.expire(limits)) > 0);
    assert(!(await tables()).includes(nameOf(oldMs)));
  });
});
