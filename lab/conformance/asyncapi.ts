import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../tools/repository-files.ts';
import { CACHE } from './packages.ts';

interface Diagnostic {
  /** 0 is an error, 1 a warning; more are hints, such as that a newer version of AsyncAPI exists. */
  readonly severity: number;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

interface AsyncApiParser {
  readonly Parser: new () => {
    parse(
      text: string,
    ): Promise<{ readonly document?: unknown; readonly diagnostics: readonly Diagnostic[] }>;
  };
}

/** What the parser of the AsyncAPI project finds in the document. */
export async function parseAsyncApi(): Promise<string[]> {
  const { Parser }: AsyncApiParser = createRequire(join(CACHE, 'package.json'))('@asyncapi/parser');
  const text = await readFile(join(REPOSITORY_ROOT, 'docs', 'asyncapi.json'), 'utf8');
  const { document, diagnostics } = await new Parser().parse(text);
  const faults = diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
  return document === undefined && faults.length === 0 ? ['the document is refused'] : faults;
}
