import { rename, rm } from 'node:fs/promises';

/** What was built is missing for a moment only, and two builds at the same time do not mix their files. */
export async function replaceFolder(built: string, place: string): Promise<void> {
  await rm(place, { recursive: true, force: true });
  await rename(built, place).catch(() => rm(built, { recursive: true, force: true }));
}
