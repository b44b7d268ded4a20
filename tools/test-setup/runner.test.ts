import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

const PASSES = `require('node:test').it('passes', () => {});`;
const FAILS = `require('node:test').it('fails', () => { throw new Error('no'); });`;
const FAILS_ONCE = `
const { existsSync, writeFileSync } = require('node:fs');
require('node:test').it('fails once', () => {
  if (existsSync(__filename + '.seen')) return;
  writeFileSync(__filename + '.seen', '');
  throw new Error('not yet');
});`;
const FAILS_ONCE_IN_A_HOOK_ELSEWHERE = `
const { writeFileSync } = require('node:fs');
writeFileSync(__dirname + '/helper.cjs', \`
const { existsSync, writeFileSync } = require('node:fs');
const { after, describe, it } = require('node:test');
exports.suite = (seen) => describe('defined elsewhere', () => {
  it('passes', () => {});
  after(() => {
    if (existsSync(seen)) return;
    writeFileSync(seen, '');
    throw new Error('not yet');
  });
});\`);
require('./helper.cjs').suite(__filename + '.seen');`;
const ENDS_ITS_PROCESS = `process.exit(3);`;

describe('the runner of the tests', () => {
  it('passes when all files pass, and repeats none', (t) => {
    const { exitCode, output } = runFiles(t, { a: PASSES, b: PASSES });
    assert.equal(exitCode, 0, output);
    assert.doesNotMatch(output, /Once more/);
  });

  it('repeats only what failed, and names what passed alone', (t) => {
    const { exitCode, output } = runFiles(t, { a: PASSES, b: FAILS_ONCE });
    assert.equal(exitCode, 0, output);
    assert.match(output, /Once more, one after the other: \S+b\.test\.cjs\n/);
    assert.match(output, /FAILED BESIDE OTHER TESTS, PASSED ALONE: \S+b\.test\.cjs\n/);
  });

  it('fails when a test fails alone too, and names only what passed', (t) => {
    const { exitCode, output } = runFiles(t, { a: FAILS, b: FAILS_ONCE });
    assert.equal(exitCode, 1, output);
    assert.doesNotMatch(output, /PASSED ALONE: \S+a\.test\.cjs/);
    assert.match(output, /PASSED ALONE: \S+b\.test\.cjs/);
  });

  it('repeats the file whose suite is defined in another one and fails in a hook', (t) => {
    const { exitCode, output } = runFiles(t, { a: FAILS_ONCE_IN_A_HOOK_ELSEWHERE });
    assert.equal(exitCode, 0, output);
    assert.match(output, /PASSED ALONE: \S+a\.test\.cjs\n/);
  });

  it('fails when the process of a file ends with an error', (t) => {
    const { exitCode, output } = runFiles(t, { a: ENDS_ITS_PROCESS });
    assert.equal(exitCode, 1, output);
    assert.doesNotMatch(output, /PASSED ALONE/);
  });
});

function runFiles(
  t: TestContext,
  contents: Record<string, string>,
): { exitCode: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'granary-runner-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = Object.entries(contents).map(([name, text]) => {
    const file = join(folder, `${name}.test.cjs`);
    writeFileSync(file, text);
    return file;
  });
  const run = `{ files: ${JSON.stringify(files)}, options: [], env: {}, interruption: new AbortController().signal }`;
  const runner = JSON.stringify(new URL('runner.ts', import.meta.url).href);
  const script = `const { runTests } = await import(${runner}); process.exitCode = await runTests(${run});`;
  // Without this variable the inner runner does not report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  return { exitCode: status, output: stdout + stderr };
}
