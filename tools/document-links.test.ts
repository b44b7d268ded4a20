import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY_ROOT, repositoryFiles } from './repository-files.ts';

const LINK = /\]\((?!https?:|mailto:)([^)\s]*)\)/g;
const CODE = /^```.*?^```|`[^`\n]*`/gms;

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');

/** The anchors that a repository browser gives to the headings of a page. */
const anchorsOf = (page: string): string[] =>
  Array.from(page.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The hunks of the diffs on a page, each as the lines that it expects in the file. */
function expectedLines(page: string): { readonly file: string; readonly lines: string }[] {
  return Array.from(page.matchAll(/^```diff\n(.*?)^```/gms), ([, diff = '']) => diff).flatMap((diff) =>
    diff.split(/^\+\+\+ /m).flatMap((part) => {
      const [file = '', ...hunks] = part.split(/\n@@\n/);
      return hunks.map((hunk) => {
        const lines = hunk.split('\n').filter((line) => !line.startsWith('+'));
        return {
          file,
          lines: lines
            .map((line) => line.slice(1))
            .join('\n')
            .trimEnd(),
        };
      });
    }),
  );
}

/** The links of a page to missing files or headings. */
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

test('the diffs of the first change fit the files that they change', () => {
  const hunks = expectedLines(read('docs/first-change.md'));
  assert.ok(hunks.length > 10);
  const unfitting = hunks.filter(({ file, lines }) => !read(file).includes(lines));
  assert.deepEqual(unfitting, []);
});
