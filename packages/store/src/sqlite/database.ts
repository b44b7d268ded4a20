import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataFolder, privateFile } from '../data-folder.ts';
import { WAIT_MS_MAX } from '../engine.ts';
import { StoreOpenError } from '../errors.ts';
import { SQLITE_DIALECT } from '../migrations/migration.ts';
import { migrate, type OnUpgrade } from '../migrations/migrations.ts';
import { reasonOf } from './errors.ts';
import { readArrays } from './read-arrays.ts';
import { SqliteSql } from './sql.ts';

export const DATABASE_FILE = 'granary.db';
const READER_CACHE_KIB = 8 * 1024;
/** The limit of the wait for a lock in a read: reads block the main thread meanwhile, and a stop would wait with them. */
const READER_WAIT_MS_MAX = 50;
const WRITER_CACHE_KIB = 16 * 1024;
/** 16 MiB of WAL are written between checkpoints, so that a page that every commit changes is copied back once for many commits. */
const CHECKPOINT_PAGES = 4_096;
/** A WAL that grew during a long transaction is truncated to this size. */
const LOG_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Returns the first trigger or view of a database, or `null`. The service has neither, so a trigger or view would run foreign
 * statements with the rights of the service.
 */
export function foreignObjectIn(database: DatabaseSync): string | null {
  const [[found] = []] = readArrays(
    database,
    `SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY type, name LIMIT 1`,
  );
  return typeof found === 'string' ? found : null;
}

/** Prepares the database file for its reader and its writer, and returns its path. */
export async function prepareDatabase(folder: string, onUpgrade?: OnUpgrade): Promise<string> {
  makeDataFolder(folder);
  const file = join(folder, DATABASE_FILE);
  const isNew = !existsSync(file);
  let database: DatabaseSync | undefined;
  try {
    for (const beside of ['-wal', '-shm']) if (existsSync(file + beside)) privateFile(file + beside);
    database = openWriter(privateFile(file));
    const foreign = foreignObjectIn(database);
    if (foreign !== null) {
      throw new StoreOpenError(
        `the database ${file} has the ${foreign}, which is not of this service and could change its data; remove it, or restore another backup`,
      );
    }
    database.exec('BEGIN IMMEDIATE');
    await migrate(new SqliteSql(database), SQLITE_DIALECT, onUpgrade);
    // SQLite opens a read-only file without an error; only a write fails.
    database.exec('UPDATE granary_schema SET version = version; COMMIT');
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    const what = isNew ? `cannot create the database in ${folder}` : `cannot open the database ${file}`;
    throw new StoreOpenError(`${what}: ${reasonOf(error)}`, { cause: error });
  } finally {
    database?.close();
  }
  return file;
}

export function openWriter(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: WAIT_MS_MAX });
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${WRITER_CACHE_KIB};
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA journal_size_limit = ${LOG_BYTES_MAX};
      PRAGMA temp_store = MEMORY;
    `);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

export function openReader(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: READER_WAIT_MS_MAX });
  database.exec(`PRAGMA cache_size = -${READER_CACHE_KIB}; PRAGMA temp_store = MEMORY;`);
  return database;
}
