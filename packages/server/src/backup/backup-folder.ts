import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '@granary/contract/time';
import { isBackupName, isPartialName, timeOfBackup } from './backup-names.ts';

/** An unfinished backup of this age is no longer being written. */
const ABANDONED_AFTER_MS = DAY_MS;

/** The time of the newest backup in the folder; `null` without one. */
export async function newestBackupMs(folder: string): Promise<number | null> {
  const newest = (await backupsIn(folder)).at(-1);
  return newest === undefined ? null : timeOfBackup(newest);
}

/** Removes the oldest backups beyond the number to keep, and what unfinished backups left behind. */
export async function tidyBackups(folder: string, keep: number, nowMs: number): Promise<void> {
  for (const name of (await backupsIn(folder)).slice(0, -keep)) await rm(join(folder, name));
  for (const name of (await readdir(folder)).filter(isPartialName)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (nowMs - mtimeMs > ABANDONED_AFTER_MS) await rm(join(folder, name), { force: true });
  }
}

/** Oldest first. */
const backupsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter(isBackupName).sort();
