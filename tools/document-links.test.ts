import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY_ROOT, repositoryFiles } from './repository-files.ts';

const LINK = /\]\((?!https?:|mailto:)([^)\s]*)\)/g;
const CODE = /^```.*?^```|`[^`\n]*`/gms;

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');

/** The names that a browser of the repository gives to the headings of a page. */
const anchorsOf = (page: string): string[] =>
  Array.from(page.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The links of a page to files or headings that are not there. */
function brokenLinks(path: string): string[] {
  return Array.from(read(path).replace(CODE, '').matchAll(LINK), ([, target = '']) => target).filter(
    (target) => {
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(REPOSITORY_ROOT, linked))) return true;
      return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(read(linked)).includes(anchor);
    },
  );
}

test('every link of a document leads to a file or a heading of this repository', () => {
  const pages = repositoryFiles(REPOSITORY_ROOT).filter((path) => path.endsWith('.md'));
  assert.ok(pages.length > 50);
  const broken = pages.flatMap((path) => brokenLinks(path).map((target) => `${path}: ${target}`));
  assert.deepEqual(broken, []);
});
