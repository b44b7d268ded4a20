import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockDataFolder } from '../../data-folder.ts';
import { BackupError, codeOf } from '../../errors.ts';
import { DATABASE_FILE, openWriter } from '../database.ts';
import { type CopyOptions, makeCheckedCopy, removeDatabase } from './checked-copy.ts';
import type { Contents } from './contents.ts';

/** Codes with which some systems and file systems refuse to flush a folder. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set(['EINVAL', 'EISDIR', 'EPERM', 'EACCES']);
/**
 * The numbers that are skipped after a restore, so that new events never get the number of a lost event. Readers of events
 * remember the numbers that they have seen, and would take new events for old ones.
 */
const EVENT_NUMBERS_SKIPPED = 1_000_000;

/** Gives a file its final name, also on disk. */
export function placeFile(from: string, to: string): void {
  renameSync(from, to);
  try {
    const descriptor = openSync(dirname(to), 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!CANNOT_FLUSH.has(codeOf(error))) throw error;
  }
}

export interface RestoreOptions extends CopyOptions {
  /** Replaces an existing database and keeps it under the name `keepAs` in the same folder. */
  readonly replace: boolean;
  readonly keepAs: string;
}

export interface Restored extends Contents {
  /** The path of the replaced database; `null` if there was none. */
  readonly kept: string | null;
}

/** Makes a backup the database of a data folder that no service uses. Until the last step the folder keeps its former content. */
export async function restoreDatabase(
  folder: string,
  backupFile: string,
  options: RestoreOptions,
): Promise<Restored> {
  if (!existsSync(backupFile)) throw new BackupError(`there is no file ${backupFile}`);
  const lock = lockDataFolder(folder);
  const database = join(folder, DATABASE_FILE);
  const partial = `${database}.partial`;
  try {
    const exists = existsSync(database);
    if (exists && !options.replace) {
      throw new BackupError(
        `${folder} has a database; --force replaces it, and keeps it under a name with the date`,
      );
    }
    removeDatabase(partial);
    const contents = await makeCheckedCopy(backupFile, partial, options);
    skipEventNumbers(partial);
    const kept = exists ? keep(database, join(folder, options.keepAs)) : null;
    if (!exists) for (const suffix of ['-wal', '-shm']) rmSync(database + suffix, { force: true });
    placeFile(partial, database);
    return { ...contents, kept };
  } catch (error) {
    removeDatabase(partial);
    throw error;
  } finally {
    lock.release();
  }
}

function skipEventNumbers(file: string): void {
  const database = new DatabaseSync(file);
  try {
    database.exec(`UPDATE event_counter SET last_sequence = last_sequence + ${EVENT_NUMBERS_SKIPPED}`);
  } finally {
    database.close();
  }
}

/** Gives the database a second name, so that the folder has a database at every moment. */
function keep(database: string, kept: string): string {
  try {
    // Closing the last connection copies the WAL into the file.
    openWriter(database).close();
  } catch {
    // A damaged database is kept as it is, with its WAL.
  }
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(database + suffix)) renameSync(database + suffix, kept + suffix);
  }
  linkSync(database, kept);
  return kept;
}
