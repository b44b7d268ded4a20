import { readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REPOSITORY_ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NOT_OURS: ReadonlySet<string> = new Set(['.git', '.granary', 'dist', 'node_modules']);

/** Every file of the repository below `root`, as sorted paths with forward slashes. */
export function repositoryFiles(root: string): string[] {
  const list = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => !NOT_OURS.has(entry.name))
      .flatMap((entry) => {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) return list(path);
        return entry.isFile() ? [path] : [];
      });
  return list('').sort();
}

/** Replaces a built folder: it is missing only for a moment, and two builds at the same time do not mix their files. */
export async function replaceFolder(built: string, place: string): Promise<void> {
  await rm(place, { recursive: true, force: true });
  await rename(built, place).catch(() => rm(built, { recursive: true, force: true }));
}
