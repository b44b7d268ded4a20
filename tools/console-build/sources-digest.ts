import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that the built page depends on. */
const SOURCES = [
  'packages/console',
  'packages/client/src',
  'packages/contract/src',
  'tools/console-build',
  'package-lock.json',
];

const BUILT = join('dist', 'console', 'built-from');

/** Whether the built page was made from the present sources. */
export async function isConsoleBuilt(root: string): Promise<boolean> {
  const builtFrom = await readFile(join(root, BUILT), 'utf8').catch(() => '');
  return builtFrom.trim() === (await consoleSourcesDigest(root));
}

/** Changes when the page has to be built again. */
export async function consoleSourcesDigest(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of (await Promise.all(SOURCES.map((source) => filesBelow(root, source)))).flat()) {
    hash.update(`${path}\n`).update(await readFile(join(root, path)));
  }
  return hash.digest('hex');
}

async function filesBelow(root: string, path: string): Promise<string[]> {
  if (path.endsWith('.json')) return [path];
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !file.includes('node_modules'))
    .sort();
}
