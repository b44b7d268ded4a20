import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BackupError, fileFault } from '@granary/store/errors';
import { type CopyOptions, makeCheckedCopy } from '@granary/store/sqlite/backup/checked-copy';
import type { Contents } from '@granary/store/sqlite/backup/contents';
import { placeFile } from '@granary/store/sqlite/backup/place-file';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import type { Settings } from '../../process/settings.ts';
import { backupName, partialName } from './backup-names.ts';

type Place = Pick<Settings, 'databaseUrl' | 'dataDir'>;

export interface Backup extends Contents {
  readonly file: string;
  readonly bytes: number;
}

/** The folder for backups when nothing else is said; on the same disk as the data, so it does not help when that is lost. */
export const defaultBackupFolder = (dataDir: string): string => join(dataDir, 'backups');

/** Refuses a service whose data is not in the data folder. */
export function requireEmbeddedStore({ databaseUrl }: Place): void {
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

/** Only below an existing data folder, so that a wrong data folder is not created. */
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
