import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { RequestTime, withinRequest } from '@granary/common/request-time';
import { Refusal } from '@granary/contract/errors';
import type { Engine } from '@granary/store/engine';
import { openPostgres } from '@granary/store/postgres/engine';
import type { Sql } from '@granary/store/sql';
import { describePostgres } from '../testing/engines.ts';
import { USE_CASES } from '../use-cases.ts';

type Work = (sql: Sql, deviceNo: number) => Promise<unknown>;

const LOCK = `SELECT n, owner FROM held WHERE n IN
  (SELECT jsonb_array_elements_text($1::jsonb)::bigint) ORDER BY n FOR NO KEY UPDATE`;
const INSERT = 'INSERT INTO stored VALUES ($1)';
const TRANSACTION = 'SELECT CAST(pg_current_xact_id() AS TEXT)';

describePostgres('calls that share a transaction on PostgreSQL', (engine) => {
  let store: Engine;
  before(async () => {
    assert(engine.location.engine === 'postgres');
    await engine.query('CREATE TABLE stored (n BIGINT PRIMARY KEY)');
    await engine.query('CREATE TABLE held (n BIGINT PRIMARY KEY, owner TEXT)');
    await engine.query(`INSERT INTO held SELECT n, 'owner of ' || n FROM generate_series(1, 100) n`);
    store = await openPostgres(engine.location.url, {
      ...USE_CASES,
      callUseCase: (sql, { args }) => (args[1] as Work)(sql, args[0] as number),
      memberOf: ({ name: kind, args, idempotency }) => ({
        kind,
        deviceNo: args[0] as number,
        request: idempotency as string | null,
      }),
    });
  });
  after(() => store.close());

  const write = (deviceNo: number, work: Work, idempotency: string | null = null): Promise<unknown> =>
    store.write({ slice: '', name: 'write', args: [deviceNo, work], idempotency, attempt: null });
  const stored = async () => (await engine.query('SELECT n FROM stored ORDER BY n')).flat();
  const transactionOf: Work = async (sql) => (await sql.query(TRANSACTION))[0]?.[0];

  it('each get the rows of their device, also those that lock it, in one query', async () => {
    const work: Work = async (sql, n) => {
      const rows = await sql.queryDevices(LOCK, [n], 0);
      const both = await sql.queryDevices(LOCK, [n, n + 1], 0);
      const runs = sql.query(
        `SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE 'SELECT n, owner%'`,
      );
      return [rows, both.length, await transactionOf(sql, n), await runs];
    };
    const answers = (await Promise.all([3, 1, 2].map((n) => write(n, work)))) as unknown[][];
    const [, , transaction] = answers[0] ?? [];
    assert.deepEqual(
      answers,
      [3, 1, 2].map((n) => [[[n, `owner of ${n}`]], 2, transaction, [[2]]]),
    );
  });

  it('keep the order of their own statements', async () => {
    const owned = `SELECT n FROM stored WHERE n = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb)::bigint)) ORDER BY n`;
    const work: Work = async (sql, n) => {
      const find = () => sql.queryDevices(owned, [n, n + 100], 0);
      const insert = (wanted: number) => sql.runUnawaited(INSERT, [wanted]);
      const [before, , between, , behind] = await Promise.all([
        find(),
        insert(n),
        find(),
        insert(n + 100),
        find(),
      ]);
      return [before, between, behind];
    };
    assert.deepEqual(
      await Promise.all([10, 11, 12].map((n) => write(n, work))),
      [10, 11, 12].map((n) => [[], [[n]], [[n], [n + 100]]]),
    );
    await engine.query('DELETE FROM stored WHERE n > 100');
  });

  it('are never two of one device or one request', async () => {
    const all = [[1], [1], [2, 'a'], [3, 'a'], [4, 'b']] as const;
    const of = await Promise.all(all.map(([n, request = null]) => write(n, transactionOf, request)));
    assert.notEqual(of[0], of[1]);
    assert.notEqual(of[2], of[3]);
    assert.deepEqual([of[0], of[0]], [of[2], of[4]]);
  });

  it('end with their own request, and not with that of another call', async () => {
    const work: Work = async (sql, n) => {
      await sql.query('SELECT pg_sleep(0.2)');
      return n;
    };
    const [late, ...others] = await Promise.allSettled([
      withinRequest(new RequestTime(0), () => write(20, work)),
      ...[21, 22].map((n) => write(n, work)),
    ]);
    assert.equal(late?.status, 'rejected');
    assert.deepEqual(
      others.map((outcome) => outcome.status === 'fulfilled' && outcome.value),
      [21, 22],
    );
  });

  const refuse = (): never => {
    throw new Refusal('device_offline', 'refused');
  };

  it('are refused without the others, whether they have written or not', async () => {
    let runs = 0;
    const stores: Work = async (sql, n) => {
      runs++;
      await sql.query('SELECT 1');
      await sql.runUnawaited(INSERT, [n]);
      return n;
    };
    const reads: Work = async (sql) => {
      await sql.query('SELECT 1');
      return refuse();
    };
    const writes: Work = async (sql, n) => {
      await sql.run(INSERT, [n]);
      return refuse();
    };
    const outcomesOf = async (...works: [number, Work][]) =>
      (await Promise.allSettled(works.map(([n, work]) => write(n, work)))).map(({ status }) => status);
    assert.deepEqual(await outcomesOf([20, stores], [21, reads], [22, stores]), [
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    assert.equal(runs, 2);
    assert.deepEqual(await outcomesOf([23, stores], [24, writes], [25, stores], [26, writes]), [
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    assert.equal(runs, 6);
    assert.deepEqual(await stored(), [10, 11, 12, 20, 22, 23, 25]);
  });

  it('fail without the others, and with their own error', async () => {
    const add = (n: number) => write(n, async (sql) => await sql.run(INSERT, [n]));
    const addUnawaited = (n: number) => write(n, async (sql) => await sql.runUnawaited(INSERT, [n]));
    const [first, ...others] = await Promise.allSettled([
      add(10),
      add(30),
      addUnawaited(31),
      addUnawaited(11),
    ]);
    assert.deepEqual(
      [first, ...others].map((one) => (one?.status === 'rejected' ? one.reason.code : one?.status)),
      ['23505', 'fulfilled', 'fulfilled', '23505'],
    );
    assert.deepEqual((await stored()).slice(-2), [30, 31]);
  });

  it('do not wait long for one whose device is held elsewhere', async () => {
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holder = store.urgent.write({
      slice: '',
      name: '',
      idempotency: null,
      attempt: null,
      args: [
        50,
        async (sql: Sql) => {
          await sql.query(LOCK, ['[50]']);
          isHeld.resolve();
          await held.promise;
        },
      ],
    });
    await isHeld.promise;
    let isEnded = false;
    const lock: Work = async (sql, n) => await sql.queryDevices(LOCK, [n], 0);
    const waits = write(50, lock).finally(() => {
      isEnded = true;
    });
    assert.deepEqual(await Promise.all([51, 52].map((n) => write(n, lock))), [
      [[51, 'owner of 51']],
      [[52, 'owner of 52']],
    ]);
    assert.deepEqual(await write(53, lock), [[53, 'owner of 53']]);
    assert.equal(isEnded, false);
    held.resolve();
    await holder;
    assert.deepEqual(await waits, [[50, 'owner of 50']]);
  });

  it('have no statements after the end of their transaction', async () => {
    const leaked: Sql[] = [];
    const leak: Work = async (sql) => {
      leaked.push(sql);
      return await sql.query('SELECT 1');
    };
    await Promise.all([54, 55].map((n) => write(n, leak)));
    assert.equal(leaked.length, 2);
    for (const sql of leaked) await assert.rejects(sql.run(INSERT, [55]), /has ended/);
  });

  it('have an unknown outcome together when the connection is lost while they are committed', async () => {
    const work: Work = async (sql, n) => {
      await sql.runUnawaited(INSERT, [n]);
      if (n === 61) await sql.runUnawaited('SELECT pg_terminate_backend(pg_backend_pid())', []);
    };
    for (const outcome of await Promise.allSettled([60, 61, 62].map((n) => write(n, work)))) {
      assert(outcome.status === 'rejected');
      assert.match(outcome.reason.message, /may have been made/);
    }
    assert.deepEqual((await stored()).slice(-1), [31]);
    assert.equal(typeof (await write(60, transactionOf)), 'string');
  });

  it('are refused after the store is closed', async () => {
    const { location } = engine;
    assert(location.engine === 'postgres');
    const closed = await openPostgres(location.url, USE_CASES);
    const start = {
      slice: 'operations',
      name: 'start',
      args: [{ deviceNo: 1 }],
      idempotency: null,
      attempt: null,
    };
    await closed.close();
    await assert.rejects(closed.write(start), { code: 'storage_unavailable' });
  });
});
