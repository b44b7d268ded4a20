import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toIso } from '@granary/contract/time';
import { BackupError, fileFault } from '@granary/store/errors';
import { type CopyOptions, makeCheckedCopy } from '@granary/store/sqlite/backup/checked-copy';
import type { Contents } from '@granary/store/sqlite/backup/contents';
import {
  placeFile,
  type Restored,
  type RestoreOptions,
  restoreDatabase,
} from '@granary/store/sqlite/backup/restore';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import type { Settings } from '../../process/settings.ts';

const BACKUP = /^granary-\d{8}T\d{6}Z\.db$/;
const TIME_IN_NAME = /^granary-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const PARTIAL = /^granary-\d{8}T\d{6}Z-[0-9a-f]{8}\.partial/;

/** A time as part of a file name, such as `20261115T192000Z`; the names of several sort by time. */
const timeInName = (timeMs: number): string => toIso(timeMs).replaceAll(/[-:]|\.\d+/g, '');

const backupName = (nowMs: number): string => `granary-${timeInName(nowMs)}.db`;

/** The name of a backup while it is being written; two processes never use the same one. */
const partialName = (nowMs: number): string =>
  `granary-${timeInName(nowMs)}-${randomBytes(4).toString('hex')}.partial`;

/** The time in the name of a backup. */
export const timeOfBackup = (name: string): number =>
  Date.parse(name.replace(TIME_IN_NAME, '$1-$2-$3T$4:$5:$6Z'));

export const isBackupName = (name: string): boolean => BACKUP.test(name);

/** Also matches the files that SQLite has beside an unfinished backup. */
export const isPartialName = (name: string): boolean => PARTIAL.test(name);

type Place = Pick<Settings, 'databaseUrl' | 'dataDir'>;

export interface Backup extends Contents {
  readonly file: string;
  readonly bytes: number;
}

/** The folder for backups when nothing else is said; on the same disk as the data, so it does not help when that is lost. */
const defaultBackupFolder = (dataDir: string): string => join(dataDir, 'backups');

/** Refuses a service whose data is not in the data folder. */
function requireEmbeddedStore({ databaseUrl }: Place): void {
  if (databaseUrl === null) return;
  throw new BackupError(
    'GRANARY_DATABASE_URL is set, so the data is in PostgreSQL: use pg_dump and pg_restore (docs/backup.md)',
  );
}

/**
 * Writes a backup of the embedded store, also while a service is running on it. `to` is a new file, or a folder in which the
 * backup gets a name with its time. The file has its name only when it is complete, checked and on disk.
 */
export async function backUp(
  place: Place,
  to: string | null,
  nowMs: number,
  options: CopyOptions = {},
): Promise<Backup> {
  requireEmbeddedStore(place);
  const source = join(place.dataDir, DATABASE_FILE);
  const file = targetFile(to ?? makeDefaultFolder(place.dataDir), nowMs);
  if (existsSync(file)) throw new BackupError(`${file} exists already`);
  const partial = join(dirname(file), partialName(nowMs));
  if (!existsSync(dirname(file))) throw new BackupError(`the folder ${dirname(file)} does not exist`);
  const contents = await makeCheckedCopy(source, partial, options);
  placeFile(partial, file);
  return { ...contents, file, bytes: statSync(file).size };
}

const targetFile = (to: string, nowMs: number): string =>
  to.endsWith('/') || isFolder(to) ? join(to, backupName(nowMs)) : to;

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** The folder is made only below an existing data folder, so that a wrong data folder is not created. */
function makeDefaultFolder(dataDir: string): string {
  const folder = defaultBackupFolder(dataDir);
  if (!existsSync(join(dataDir, DATABASE_FILE))) {
    throw new BackupError(`there is no database in ${dataDir}; GRANARY_DATA_DIR says where it is`);
  }
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
  } catch (error) {
    throw new BackupError(`cannot use the folder ${folder}: ${fileFault(error) ?? String(error)}`, {
      cause: error,
    });
  }
  return folder;
}

/** Makes a backup the database of the data folder; refused while a service uses the folder. */
export async function restore(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  file: string,
  nowMs: number,
  options: Omit<RestoreOptions, 'keepAs'>,
): Promise<Restored> {
  requireEmbeddedStore(settings);
  const keepAs = `${DATABASE_FILE}.before-${timeInName(nowMs)}`;
  return await restoreDatabase(settings.dataDir, file, { ...options, keepAs });
}
