import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { StoreOpenError } from '@granary/store/errors';
import { describeEachEngine, type TestEngine, WITHOUT_SCHEMA } from '@granary/testing/app/engines';

async function tablesOf(engine: TestEngine): Promise<unknown[]> {
  const rows = await engine.query(
    engine.name === 'sqlite'
      ? `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`
      : `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
           AND NOT relispartition ORDER BY relname COLLATE "C"`,
  );
  return rows.map(([name]) => name);
}

describeEachEngine(
  'a database',
  (engine) => {
    it('of a version from before the first release is refused with one line, and left as it is', async () => {
      await engine.query('CREATE TABLE schema_version (version BIGINT NOT NULL)');
      await engine.query('INSERT INTO schema_version (version) VALUES (26)');
      await assert.rejects(
        engine.open(),
        (error) =>
          error instanceof StoreOpenError &&
          /^the database was written by a version from before the first release.*\(GRANARY_DATA_DIR\)/.test(
            error.message,
          ),
      );
      assert.deepEqual(await tablesOf(engine), ['schema_version']);
      await engine.query('DROP TABLE schema_version');
    });

    it('whose tables cannot all be made has none of them, until the next start makes them', async () => {
      // This is one of the last tables, which is created after most others.
      await engine.query('CREATE TABLE plants (conflicting BIGINT)');
      await assert.rejects(engine.open(), StoreOpenError);
      assert.deepEqual(await tablesOf(engine), ['plants']);
      await engine.query('DROP TABLE plants');
      await engine.open();
      assert.deepEqual(await engine.query('SELECT version FROM granary_schema'), [[1]]);
    });

    it('has the tables that docs/schema.md lists', async () => {
      const document = readFileSync(new URL('../../../../docs/schema.md', import.meta.url), 'utf8');
      const ofBoth = engine.name === 'postgres' ? '' : '(?! PostgreSQL only:)';
      const rows = document.matchAll(new RegExp(`^\\| \`(\\w+)\` \\|${ofBoth}`, 'gm'));
      const listed = [...rows].map(([, table]) => table);
      assert.deepEqual(listed.toSorted(), await tablesOf(engine));
    });

    it('opens a second time without a change', async () => {
      const before = await tablesOf(engine);
      await engine.open();
      assert.deepEqual(await tablesOf(engine), before);
    });
  },
  WITHOUT_SCHEMA,
);
