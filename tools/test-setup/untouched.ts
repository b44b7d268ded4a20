import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../repository-files.ts';

interface PublishedDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly 'x-errors': Readonly<Record<string, unknown>>;
}

/** The operations and codes of the published document that no test got as an answer; each line of the notes is `operation status code`. */
function untouched(document: PublishedDocument, notes: readonly string[]): string[] {
  const operations = new Set<string>();
  const codes = new Set<string>();
  for (const [operation = '', , code = ''] of notes.map((note) => note.split(' '))) {
    operations.add(operation);
    codes.add(code);
  }
  const listed = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  return [
    ...listed.filter((operation) => !operations.has(operation)).map((one) => `the operation ${one}`),
    ...Object.keys(document['x-errors'])
      .filter((code) => !codes.has(code))
      .map((one) => `the error code ${one}`),
  ];
}

/** Prints the operations and codes that a whole run of the tests did not touch; returns true if there are none. */
export async function isAllTouched(folder: string): Promise<boolean> {
  const document = JSON.parse(await readFile(join(REPOSITORY_ROOT, 'docs/openapi.json'), 'utf8'));
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const missing = untouched(
    document,
    texts.flatMap((text) => text.split('\n')),
  );
  for (const one of missing) console.error(`no test got an answer of ${one}, which docs/openapi.json lists`);
  return missing.length === 0;
}
