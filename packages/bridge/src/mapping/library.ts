import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mapping } from './mapping.ts';
import { readMapping } from './read-mapping.ts';
import { type Fault, faultLine } from './yaml-document.ts';

/** The mappings that come with the bridge. */
export const LIBRARY = fileURLToPath(new URL('../../library/', import.meta.url));
const ENDING = '.yaml';

/** The error that a mapping cannot be used, with every fault and its line. */
class MappingError extends Error {
  readonly faults: readonly string[];

  constructor(file: string, faults: readonly Fault[]) {
    super(`${file} cannot be used`);
    this.name = 'MappingError';
    this.faults = faults.map((fault) => faultLine(file, fault));
  }
}

export async function libraryNames(): Promise<string[]> {
  const files = await readdir(LIBRARY);
  return files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** Loads a mapping: from the library by its name, or from a file by its path. */
export async function loadMapping(nameOrFile: string): Promise<Mapping> {
  const isName = /^[a-z0-9][a-z0-9-]*$/.test(nameOrFile);
  const file = isName ? join(LIBRARY, `${nameOrFile}${ENDING}`) : nameOrFile;
  const outcome = readMapping(await readFile(file, 'utf8'));
  if ('faults' in outcome) throw new MappingError(nameOrFile, outcome.faults);
  return outcome.mapping;
}
