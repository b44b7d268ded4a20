import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { before, test } from 'node:test';
import { LANGUAGES } from '../../packages/words/src/languages.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { ensureConsole } from './build.ts';

const FOLDER = join(REPOSITORY_ROOT, 'dist', 'console');
const ASSETS = join(FOLDER, 'assets');
const SCRIPT_BYTES_MAX = 150_000;

const scriptsIn = (pattern: RegExp, text: string): string[] =>
  [...text.matchAll(pattern)].map(([, path = '']) => basename(path));

/** The files, and every file that they import statically. */
function withImports(files: readonly string[]): Set<string> {
  const found = new Set<string>();
  const take = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const imported = scriptsIn(
      /(?:from|import) ?["'`]([^"'`]+\.js)["'`]/g,
      readFileSync(join(ASSETS, file), 'utf8'),
    );
    for (const one of imported) take(one);
  };
  for (const file of files) take(file);
  return found;
}

const named = (start: string): string[] =>
  readdirSync(ASSETS).filter((file) => file.startsWith(start) && file.endsWith('.js'));

const sentBytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + statSync(join(ASSETS, `${file}.br`)).size, 0);

before(() => ensureConsole());

test('the script of the first view is small in every language, of which one is loaded', () => {
  const [page = ''] = scriptsIn(
    /<script [^>]*src="([^"]+)"/g,
    readFileSync(join(FOLDER, 'index.html'), 'utf8'),
  );
  const streams = named('streams-worker');
  const languages = LANGUAGES.flatMap((language) => named(`${language}-`));
  assert.deepEqual([languages.length, streams.length], [LANGUAGES.length, 1]);
  for (const language of languages) {
    const loaded = withImports([page, language, ...streams]);
    assert.deepEqual(
      [...loaded].filter((file) => languages.includes(file)),
      [language],
    );
    // The page waits for its language, so a language that imports the page is never there.
    assert.equal(withImports([language]).has(page), false, `${language} imports the page`);
    const bytes = sentBytes(loaded);
    assert.ok(bytes <= SCRIPT_BYTES_MAX, `${language}: ${bytes} bytes`);
  }
});
