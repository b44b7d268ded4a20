import { type Restored, type RestoreOptions, restoreDatabase } from '@granary/store/sqlite/backup/restore';
import { DATABASE_FILE } from '@granary/store/sqlite/database';
import type { Settings } from '../../process/settings.ts';
import { requireEmbeddedStore } from './backup.ts';
import { timeInName } from './backup-names.ts';

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
