// This is plain JavaScript because it runs before every start of the service, and Node loads a compiler for the first TypeScript module.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const isTest = (name) => name.endsWith('.test.ts');

/** A digest of the names and contents of the files at or below the paths; tests are left out. */
export function sourcesDigest(root, paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((one) => filesAt(root, one))) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

function filesAt(root, path) {
  if (/\.(json|ts)$/.test(path)) return [path];
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  return entries
    .filter(({ name }) => name !== 'node_modules' && !isTest(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const below = `${path}/${entry.name}`;
      return entry.isDirectory() ? filesAt(root, below) : [below];
    });
}

/** Whether a folder below the root was built from the present sources: its build has written their digest last. */
export function isBuiltFrom(folder, root, paths) {
  let builtFrom;
  try {
    builtFrom = readFileSync(join(root, folder, 'built-from'), 'utf8');
  } catch {
    return false;
  }
  return builtFrom.trim() === sourcesDigest(root, paths);
}
