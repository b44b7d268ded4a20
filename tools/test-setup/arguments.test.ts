import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTestArguments, selectTests } from './arguments.ts';

const FILES = [
  'packages/core/src/alerts/lifecycle.test.ts',
  'packages/core/src/alerts/lifecycle.ts',
  'packages/core-extras/src/alerts.test.ts',
  'packages/server/bench/load.test.ts',
  'packages/server/src/http/alerts.test.ts',
  'tools/tidy.test.ts',
];

describe('arguments of npm test', () => {
  test('none selects every test beside a source or a tool', () => {
    assert.deepEqual(selectTests(FILES, []), [FILES[0], FILES[2], FILES[4], FILES[5]]);
  });

  test('a folder selects the files below it, and not folders whose name only begins the same', () => {
    assert.deepEqual(selectTests(FILES, ['packages/core']), [FILES[0]]);
  });

  test('a file selects itself', () => {
    assert.deepEqual(selectTests(FILES, ['tools/tidy.test.ts']), [FILES[5]]);
  });

  test('an unknown path selects nothing', () => {
    assert.deepEqual(selectTests(FILES, ['packages/cellar']), []);
  });

  test('paths may be written the way a shell completes them', () => {
    assert.deepEqual(parseTestArguments(['./packages/core/', 'tools']).prefixes, ['packages/core', 'tools']);
  });

  test('options are passed on', () => {
    const parsed = parseTestArguments(['--test-name-pattern=alert', 'tools']);
    assert.deepEqual(parsed, { help: false, options: ['--test-name-pattern=alert'], prefixes: ['tools'] });
  });

  test('help is recognised in both spellings', () => {
    assert.equal(parseTestArguments(['--help']).help, true);
    assert.equal(parseTestArguments(['-h']).help, true);
  });
});
