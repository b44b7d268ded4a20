import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importedLibraries, withCompiledSpecifiers } from './build.ts';

const PATH = 'server/src/http/site/yaml.js';

test('imports of the workspace become relative, also those of a whole package', () => {
  const source = [
    "import { a } from '@granary/contract/endpoints/endpoints';",
    "export { b } from '@granary/client';",
    "import '@granary/server/http/site/c';",
    "const d = await import('@granary/store/sqlite/d');",
    "type E = import('@granary/contract/errors').E;",
  ].join('\n');
  const compiled = [
    "import { a } from '../../../../contract/src/endpoints/endpoints.js';",
    "export { b } from '../../../../client/src/index.js';",
    "import './c.js';",
    "const d = await import('../../../../store/src/sqlite/d.js');",
    "type E = import('../../../../contract/src/errors.js').E;",
  ].join('\n');
  assert.equal(withCompiledSpecifiers(PATH, source), compiled);
});

test('imports whose names are on several lines have the compiled extension', () => {
  const source = "import {\n  x,\n} from './x.ts';\n";
  const compiled = source.replaceAll('.ts', '.js');
  assert.equal(withCompiledSpecifiers(PATH, source), compiled);
});

test('texts that look like imports stay as they are', () => {
  const source =
    "refuse('/from', 'is taken from \\'./x.ts\\'');\nread(new URL('../../package.json', import.meta.url));\n";
  assert.equal(withCompiledSpecifiers(PATH, source), source);
});

test('libraries are the imported packages that are neither ours nor of Node', () => {
  const compiled =
    "import { Type } from 'typebox';\nimport 'typebox/compile';\nimport x from '@a/b/c';\nimport 'node:fs';\nimport './x.js';\n";
  assert.deepEqual(importedLibraries(compiled), ['typebox', 'typebox', '@a/b']);
});
