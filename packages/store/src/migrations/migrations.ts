import { createHash } from 'node:crypto';
import { StoreOpenError } from '../errors.ts';
import type { Sql } from '../sql.ts';
import { type Dialect, type Migration, renderMigration } from './migration.ts';
import { FIRST_SCHEMA } from './v1-first-release.ts';

/**
 * The migrations in order, one for each version of the schema. Each is frozen text that imports nothing: constants of present
 * code would change the result for a database of an earlier version. A released entry is never edited; the test has a checksum
 * of each.
 */
export const MIGRATIONS: readonly Migration[] = [FIRST_SCHEMA];

const UNRELEASED =
  'the database was written by a version from before the first release, which no later version reads; choose a new data folder (GRANARY_DATA_DIR) or a new database (GRANARY_DATABASE_URL)';

/** Before the first release, migrations are edited, so the number alone does not identify the tables of a database. */
const checksumOf = (migrations: readonly Migration[], dialect: Dialect): string =>
  createHash('sha256')
    .update(migrations.flatMap((migration) => renderMigration(migration, dialect)).join(';\n'))
    .digest('hex');

/** Is called before the tables of an existing database are changed, which may take long. */
export type OnUpgrade = (fromVersion: number, toVersion: number) => void;

/** Brings the tables to the newest version. The transaction of the caller makes this happen completely or not at all. */
export async function migrate(
  sql: Sql,
  dialect: Dialect,
  onUpgrade?: OnUpgrade,
  migrations = MIGRATIONS,
): Promise<void> {
  if (await isUnreleased(sql, dialect)) throw new StoreOpenError(UNRELEASED);
  await sql.run(
    'CREATE TABLE IF NOT EXISTS granary_schema (version BIGINT NOT NULL, checksum TEXT NOT NULL)',
  );
  // Versions before the first release have no checksum.
  const [row] = await sql.query<{ version: number; checksum?: string }>('SELECT * FROM granary_schema');
  const version = row?.version ?? 0;
  if (version > migrations.length) {
    throw new StoreOpenError(
      `the database was written by a newer version (schema ${version}, this one knows up to ${migrations.length})`,
    );
  }
  if (row !== undefined && row.checksum !== checksumOf(migrations.slice(0, version), dialect)) {
    throw new StoreOpenError(UNRELEASED);
  }
  if (version === migrations.length) return;
  if (version > 0) onUpgrade?.(version, migrations.length);
  for (const migration of migrations.slice(version)) {
    for (const statement of renderMigration(migration, dialect)) await sql.run(statement);
  }
  await sql.run('DELETE FROM granary_schema');
  await sql.run('INSERT INTO granary_schema (version, checksum) VALUES ($1, $2)', [
    migrations.length,
    checksumOf(migrations, dialect),
  ]);
}

/** Versions before the first release kept the number of their schema in another table. */
async function isUnreleased(sql: Sql, { engine }: Dialect): Promise<boolean> {
  const rows = await sql.query(
    engine === 'sqlite'
      ? `SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'schema_version'`
      : `SELECT 1 AS found WHERE to_regclass('schema_version') IS NOT NULL`,
  );
  return rows.length > 0;
}
