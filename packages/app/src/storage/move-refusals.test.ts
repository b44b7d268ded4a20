import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { lockDataFolder } from '@granary/store/data-folder';
import { Move } from '@granary/store/move/move';
import { describePostgres, type TestEngine, WITHOUT_SCHEMA } from '@granary/testing/app/engines';
import { newDevice } from '@granary/testing/app/fixtures';
import { type EmbeddedStore, filledStore, moveStore } from '@granary/testing/app/moved-store';
import { storedAnswers } from '@granary/testing/app/stored-answers';
import { openApp } from '../app.ts';

const urlOf = ({ location }: TestEngine): string => (location.engine === 'postgres' ? location.url : '');

/** Copies one or two tables, and stops. */
async function beginMove(store: EmbeddedStore, engine: TestEngine): Promise<void> {
  const controller = new AbortController();
  const onProgress = ({ table }: { table: string }) => {
    if (table !== 'devices') controller.abort();
  };
  await assert.rejects(moveStore(store, engine, { onProgress, signal: controller.signal }), /interrupted/);
}

describePostgres(
  'a move is refused',
  (engine) => {
    let store: EmbeddedStore;
    before(async () => {
      store = await filledStore();
    });
    after(() => store.remove());
    const tables = async () =>
      (await engine.query(`SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'`))[0]?.[0];

    it('while a service uses the data folder; a dry run only counts', async () => {
      const lock = lockDataFolder(store.folder);
      await assert.rejects(moveStore(store, engine), {
        message: `the data folder ${store.folder} is in use by another process`,
        cure: /^Stop the service first/,
      });
      const move = await Move.open(store.folder, urlOf(engine), { isDryRun: true });
      assert.equal(move.plan.action, 'begin');
      assert.ok(move.plan.rows > 100);
      await move.close();
      lock.release();
    });

    it('without a database in the folder, which is not created', async () => {
      const folder = join(store.folder, 'nowhere');
      await assert.rejects(Move.open(folder, urlOf(engine)), {
        message: `there is no database in ${folder}`,
      });
      assert.ok(!existsSync(folder));
    });

    it('of a store that an older version wrote', async () => {
      store.run('UPDATE granary_schema SET version = version - 1');
      await assert.rejects(Move.open(store.folder, urlOf(engine)), {
        message: /was written by an older version \(schema 0, this one has \d+\)$/,
        cure: /^Start this version once on it/,
      });
      store.run('UPDATE granary_schema SET version = version + 1');
    });

    it('to a database that does not exist or does not answer', async () => {
      const other = new URL(urlOf(engine));
      other.pathname = '/granary_no_such_database';
      await assert.rejects(Move.open(store.folder, other.href), {
        message: /^cannot use the database at .*\/granary_no_such_database: .*does not exist$/,
        cure: /^Create the database first/,
        kind: 'failed',
      });
      await assert.rejects(Move.open(store.folder, 'postgres://granary@127.0.0.1:1/granary'), {
        message: /^cannot use the database at 127\.0\.0\.1:1\/granary: connect ECONNREFUSED/,
        kind: 'unreachable',
      });
    });

    it('to a database with tables of others', async () => {
      await engine.query('CREATE TABLE of_others (a BIGINT)');
      await assert.rejects(moveStore(store, engine), {
        message: /is not empty: it has the table of_others$/,
      });
      await engine.query('DROP TABLE of_others');
      assert.equal(await tables(), 0);
    });
  },
  WITHOUT_SCHEMA,
);

describePostgres(
  'an unfinished move',
  (engine) => {
    let store: EmbeddedStore;
    let other: EmbeddedStore;
    before(async () => {
      [store, other] = await Promise.all([filledStore(), filledStore()]);
      other.run("UPDATE keys SET key_id = key_id || '_of_another_store'");
      await beginMove(store, engine);
    });
    after(() => {
      store.remove();
      other.remove();
    });

    it('is not mixed with another store or another version', async () => {
      await assert.rejects(moveStore(other, engine), { message: /has an unfinished copy of another store$/ });
      await engine.query('UPDATE unfinished_move SET schema_version = schema_version - 1');
      await assert.rejects(moveStore(store, engine), {
        message: /has an unfinished copy by another version/,
      });
      await engine.query('UPDATE unfinished_move SET schema_version = schema_version + 1');
    });

    it('has one process at a time', async () => {
      const first = await Move.open(store.folder, urlOf(engine));
      const copy = await filledStore();
      const second = Move.open(copy.folder, urlOf(engine));
      await first.close();
      // The second move waits until the first one has ended, and then detects that the store has changed.
      const waited = await second;
      assert.equal(waited.plan.action, 'begin_again');
      await waited.close();
      copy.remove();
    });

    it('finds a row that was changed or lost in the database', async () => {
      await engine.query("UPDATE devices SET name = 'changed' WHERE device_no = 1");
      await assert.rejects(moveStore(store, engine), {
        message: 'the copy of the table devices differs from the original',
      });
      await engine.query('DELETE FROM configurations WHERE device_no = 1');
      await engine.query(
        `UPDATE devices SET name = (SELECT name FROM devices WHERE device_no = 2) WHERE device_no = 1`,
      );
      await assert.rejects(moveStore(store, engine), /differs from the original/);
    });

    it('begins again when the store has changed since', async () => {
      const app = await openApp(store);
      await app.devices.register(newDevice({ deviceId: 'registered-in-between' }));
      const answers = await storedAnswers(app, store);
      await app.close();
      const { plan } = await moveStore(store, engine);
      assert.equal(plan.action, 'begin_again');
      assert.equal(plan.rowsCopied, 0);
      assert.equal(await storedAnswers(await engine.open(), engine.location), answers);
    });
  },
  WITHOUT_SCHEMA,
);
