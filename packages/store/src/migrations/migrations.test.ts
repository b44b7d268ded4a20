import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { StoreOpenError } from '../errors.ts';
import { SqliteSql } from '../sqlite/sql.ts';
import {
  type Dialect,
  type Migration,
  POSTGRES_DIALECT,
  renderMigration,
  SQLITE_DIALECT,
} from './migration.ts';
import { MIGRATIONS, migrate } from './migrations.ts';

/** The checksums of every released migration. A new migration adds an entry; after its release an entry never changes. */
const CHECKSUMS: readonly { readonly sqlite: string; readonly postgres: string }[] = [
  {
    sqlite: 'f50d4ecd3f6cb90fabcc3a4a4c6fd2d96344ef4eb0948fb9dd15e84edca9bb9c',
    postgres: '05245fd35f124cafbc042fdd359eba1c0aba3f76344d44c85a51d07577cef78e',
  },
];

const checksum = (migration: Migration, dialect: Dialect): string =>
  createHash('sha256').update(renderMigration(migration, dialect).join(';\n')).digest('hex');

describe('migrations', () => {
  it('have not changed since their release', () => {
    assert.deepEqual(
      MIGRATIONS.map((migration) => ({
        sqlite: checksum(migration, SQLITE_DIALECT),
        postgres: checksum(migration, POSTGRES_DIALECT),
      })),
      CHECKSUMS,
    );
  });

  it('are rendered without an unreplaced placeholder', () => {
    for (const dialect of [SQLITE_DIALECT, POSTGRES_DIALECT]) {
      const rendered = MIGRATIONS.flatMap((statements) => renderMigration(statements, dialect));
      assert.deepEqual(
        rendered.filter((statement) => statement.includes('{{')),
        [],
      );
    }
    assert.throws(() => renderMigration(['{{unknown}}'], SQLITE_DIALECT), /\{\{unknown\}\}/);
  });

  it('are applied from the version of the database on, and announced before if it has data', async () => {
    const database = new DatabaseSync(':memory:');
    const sql = new SqliteSql(database);
    const announced: string[] = [];
    const bring = (migrations: readonly Migration[]) =>
      migrate(sql, SQLITE_DIALECT, (from, to) => announced.push(`${from} to ${to}`), migrations);
    const first: Migration = ['CREATE TABLE silos (name TEXT)', `INSERT INTO silos (name) VALUES ('North')`];
    const second: Migration = ['ALTER TABLE silos ADD COLUMN height_m BIGINT'];
    await bring([first]);
    await bring([first]);
    assert.deepEqual(announced, []);
    await bring([first, second]);
    assert.deepEqual(announced, ['1 to 2']);
    assert.deepEqual(await sql.query('SELECT name, height_m FROM silos'), [{ name: 'North', heightM: null }]);
    await assert.rejects(
      bring([['CREATE TABLE silos (name TEXT, height_m BIGINT)'], second]),
      (error) => error instanceof StoreOpenError && /before the first release/.test(error.message),
    );
    await assert.rejects(
      bring([first]),
      (error) => error instanceof StoreOpenError && /newer/.test(error.message),
    );
    database.close();
  });
});
