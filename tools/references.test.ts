import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import fc from 'fast-check';
import { outdatedReferences, readableJson } from './references.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

test('the committed references are those of the contract', async () => {
  assert.deepEqual(await outdatedReferences(), [], 'run `npm run references`');
});

test('the page of the interface has the 17 endpoints that are declared as its own', () => {
  const page = readFileSync(join(REPOSITORY_ROOT, 'docs/interface.md'), 'utf8');
  const titles = [...page.matchAll(/^### (\d+)\. (.+)$/gm)].map(([, number, title]) => `${number} ${title}`);
  const declared = ALL_ENDPOINTS.flatMap(({ endpoint: { number, method, path } }) =>
    number === null ? [] : [{ number, title: `${number} ${method} ${path}` }],
  ).toSorted((a, b) => a.number - b.number);
  assert.equal(declared.length, 17);
  assert.deepEqual(
    titles,
    declared.map(({ title }) => title),
  );
});

test('readable JSON has the value and short lines', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(readableJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
  const item = { name: 'x'.repeat(50) };
  assert.equal(
    readableJson({ a: [], b: {}, c: [item] }),
    `{ "a": [], "b": {}, "c": [${`{ "name": "${item.name}" }`}] }\n`,
  );
  assert.equal(readableJson([item, item, item]).split('\n').length, 6);
});
