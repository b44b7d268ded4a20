import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Sources } from '@granary/words/compile';
import { loadCatalogue } from '@granary/words/languages';

/** The path of every text of the page. */
const pathsOf = (texts: Sources, path: readonly string[] = []): (readonly string[])[] =>
  Object.entries(texts).flatMap(([name, inner]) =>
    typeof inner === 'string' ? [[...path, name]] : pathsOf(inner, [...path, name]),
  );

test('no text is unused', async () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) =>
      readFileSync(join(import.meta.dirname, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
    );
  const all = sources.join('\n');
  const wordsOf = (text: string, pattern: RegExp): Set<string> =>
    new Set([...text.matchAll(pattern)].flatMap(([, words = '']) => words.match(/\w+/g) ?? []));
  /** The names in these tables are data: the code reads them by a computed name, or passes the whole table on. */
  const tables = wordsOf(all, /(\w+)(?:\?\.)?\[/g)
    .union(wordsOf(all, /\.(\w+)\s*[;:),}]/g))
    .union(wordsOf(all, /nameOfCode\(([^)]*)\)/g));
  const indexed = wordsOf(all, /(\w+)\[/g);
  const states = wordsOf(all, /'(\w+)'/g);
  const files = sources.map((source) => ({
    words: wordsOf(source, /(\w+)/g),
    read: wordsOf(source, /\.(\w+)/g).union(wordsOf(source, /\{([^{}]*)\}(?: = |: Texts)/g)),
  }));
  const { page } = await loadCatalogue('en');
  assert.ok(page !== undefined && typeof page !== 'string');
  const unused = pathsOf(page).filter((path) => {
    const [name = '', section = ''] = path.toReversed();
    if (section === 'cures' || path.slice(1, -1).some((one) => tables.has(one))) return false;
    if (indexed.has(section) && states.has(name)) return false;
    return !files.some(({ words, read }) => words.has(section) && read.has(name));
  });
  assert.deepEqual(
    unused.map((path) => path.join('.')),
    [],
  );
});
