import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Engine, UseCaseCall } from '@granary/store/engine';
import { openPostgres } from '@granary/store/postgres/engine';
import type { Sql } from '@granary/store/sql';
import { describePostgres } from '@granary/testing/app/engines';
import { USE_CASES } from '../use-cases.ts';

const CALL: UseCaseCall = { slice: '', name: '', args: [], idempotency: null, attempt: null };

describePostgres('statements of a write on PostgreSQL', (engine) => {
  let store: Engine;
  let work: (sql: Sql) => Promise<unknown> = async () => undefined;
  before(async () => {
    assert(engine.location.engine === 'postgres');
    await engine.query('CREATE TABLE numbers (n BIGINT PRIMARY KEY)');
    await engine.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
    END $$`);
    store = await openPostgres(engine.location.url, {
      ...USE_CASES,
      isLong: () => false,
      callUseCase: (sql) => work(sql),
    });
  });
  after(() => store.close());

  const write = (wanted: (sql: Sql) => Promise<unknown>): Promise<unknown> => {
    work = wanted;
    return store.write(CALL);
  };
  const insert = 'INSERT INTO numbers VALUES ($1)';
  const numbers = async () => (await engine.query('SELECT n FROM numbers ORDER BY n')).flat();

  it('have their own results, also when they are given at once', async () => {
    const rows = await write((sql) =>
      Promise.all([
        sql.queryArrays('SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT)', [1, 'a\u00e4']),
        sql.run(insert, [1]),
        sql.queryArrays('SELECT n FROM numbers'),
        sql.queryArrays(`SELECT CAST($1 AS BYTEA), NULL FROM numbers WHERE n < $2`, [
          Buffer.from([0, 255]),
          5,
        ]),
        sql.run('UPDATE numbers SET n = n + 1 WHERE n = $1', [7]),
      ]),
    );
    assert.deepEqual(rows, [[[1, 'a\u00e4']], 1, [[1]], [[Buffer.from([0, 255]), null]], 0]);
    assert.deepEqual(await numbers(), [1]);
  });

  it('fail the write also if nobody waits for them, with the first error', async () => {
    const fails = write(async (sql) => {
      await sql.runUnawaited(insert, [2]);
      await sql.runUnawaited(insert, [1]);
      await sql.runUnawaited(insert, [3]);
    });
    await assert.rejects(fails, { code: '23505' });
    const failsLater = write(async (sql) => {
      await sql.runUnawaited(insert, [1]);
      await sql.queryArrays('SELECT 1').catch(() => undefined);
      await sql.queryArrays('SELECT n FROM numbers');
    });
    await assert.rejects(failsLater, { code: '23505' });
    assert.deepEqual(await numbers(), [1]);
  });

  it('never commit after an error that the write has passed over', async () => {
    const fails = write(async (sql) => {
      await sql.run(insert, [4]);
      await sql.run(insert, [1]).catch(() => undefined);
    });
    await assert.rejects(fails, { code: '23505' });
    assert.deepEqual(await numbers(), [1]);
  });

  it('that were not sent when the write was refused leave the connection as it was', async () => {
    const settings = () =>
      write((sql) => sql.queryArrays(`SELECT current_setting('synchronous_commit'), pg_backend_pid()`));
    const before = await settings();
    assert.partialDeepStrictEqual(before, [['on']]);
    for (let n = 0; n < 3; n++) {
      const refused = write(async (sql) => {
        await sql.runUnawaited(insert, [1]);
        throw new Error('refused');
      });
      await assert.rejects(refused, /refused/);
      assert.deepEqual(await settings(), before);
    }
    assert.deepEqual(await numbers(), [1]);
  });

  it('are refused after the write has ended', async () => {
    let leaked: Sql | undefined;
    const keep = async (sql: Sql): Promise<unknown> => {
      leaked = sql;
      return await sql.queryArrays('SELECT 1');
    };
    const refused = write(async (sql) => {
      await keep(sql);
      throw new Error('refused');
    });
    await assert.rejects(refused, /refused/);
    await assert.rejects(async () => leaked?.run(insert, [20]), /has ended/);
    await write(keep);
    await assert.rejects(async () => leaked?.run(insert, [21]), /has ended/);
    await assert.rejects(async () => leaked?.runUnawaited(insert, [22]), /has ended/);
    assert.deepEqual(await write((sql) => sql.queryArrays('SELECT n FROM numbers ORDER BY n')), [[1]]);
  });

  it('that are under way when the connection is lost fail, and nothing of them is stored', async () => {
    const lost = write(async (sql) => {
      const [[pid] = []] = await sql.queryArrays<[pid: number]>('SELECT pg_backend_pid()');
      await sql.runUnawaited(insert, [30]);
      await sql.runUnawaited('SELECT pg_terminate_backend($1)', [pid ?? 0]);
      await sql.runUnawaited(insert, [31]);
      return await sql.queryArrays('SELECT n FROM numbers');
    });
    await assert.rejects(lost, { code: 'storage_unavailable', message: /nothing was changed/ });
    assert.deepEqual(await numbers(), [1]);
    await write((sql) => sql.queryArrays('SELECT 1'));
  });

  it('have an unknown outcome when the connection is lost while they are committed', async () => {
    const lost = write(async (sql) => {
      const [[pid] = []] = await sql.queryArrays<[pid: number]>('SELECT pg_backend_pid()');
      await sql.runUnawaited('SELECT pg_terminate_backend($1)', [pid ?? 0]);
    });
    await assert.rejects(lost, { code: 'storage_unavailable', message: /may have been made/ });
    await write((sql) => sql.queryArrays('SELECT 1'));
  });

  it('that are cancelled fail the write', async () => {
    const fails = write(async (sql) => {
      const [[pid] = []] = await sql.queryArrays<[pid: number]>('SELECT pg_backend_pid()');
      await sql.runUnawaited(insert, [40]);
      const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE pid = ${pid} AND state = 'active' AND query LIKE 'SELECT pg_sleep%'`;
      const cancelled = async (): Promise<void> => {
        while ((await engine.query(cancel)).length === 0);
      };
      await Promise.all([sql.queryArrays('SELECT pg_sleep(30)'), cancelled()]);
    });
    await assert.rejects(fails, { code: 'storage_unavailable' });
    assert.deepEqual(await numbers(), [1]);
  });

  it('can be used again after they have failed', async () => {
    const divide = (by: number) => write((sql) => sql.queryArrays('SELECT 10 / CAST($1 AS BIGINT)', [by]));
    await assert.rejects(divide(0), { code: '22012' });
    for (let n = 0; n < 12; n++) assert.deepEqual(await divide(2), [[5]]);
    await assert.rejects(
      write((sql) => sql.queryArrays('SELECT no_such_column FROM numbers')),
      { code: '42703' },
    );
    await engine.query('ALTER TABLE numbers ADD COLUMN no_such_column BIGINT');
    const found = await write((sql) => sql.queryArrays('SELECT no_such_column FROM numbers'));
    assert.deepEqual(found, [[null]]);
  });

  it('are repeated as a whole when they conflict with another write', async () => {
    await engine.query(`
      CREATE SEQUENCE attempts;
      CREATE FUNCTION conflict_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') = 1 THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER conflict_once BEFORE INSERT ON numbers FOR EACH ROW EXECUTE FUNCTION conflict_once();
    `);
    let runs = 0;
    await write(async (sql) => {
      runs++;
      await sql.runUnawaited(insert, [10]);
      await sql.runUnawaited(insert, [11]);
    });
    assert.equal(runs, 2);
    assert.deepEqual(await numbers(), [1, 10, 11]);
  });
});
