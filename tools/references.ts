import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_ADDRESSES } from '@granary/contract/endpoints/declaration/groups';
import { errorPage } from '@granary/contract/reference/error-page';
import { openApiDocument } from '@granary/contract/reference/openapi';
import { VERSION } from '@granary/server/version';
import { readableJson } from './readable-json.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** The documents that are made from the contract, by their paths; `npm run references` writes them. */
export const REFERENCES: Readonly<Record<string, () => string>> = {
  'docs/openapi.json': () =>
    readableJson(
      openApiDocument({
        ...{ version: VERSION, addresses: DEFAULT_ADDRESSES },
        serverUrl: 'http://127.0.0.1:8080',
      }),
    ),
  'docs/errors.md': errorPage,
};

/** The paths of the documents that are not as the contract says. */
export async function outdatedReferences(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, make] of Object.entries(REFERENCES)) {
    const stored = await readFile(join(REPOSITORY_ROOT, path), 'utf8').catch(() => null);
    if (stored !== make()) outdated.push(path);
  }
  return outdated;
}

async function writeReferences(): Promise<void> {
  for (const path of await outdatedReferences()) {
    await writeFile(join(REPOSITORY_ROOT, path), REFERENCES[path]?.() ?? '');
    console.log(`wrote ${path}`);
  }
}

if (import.meta.main) await writeReferences();
