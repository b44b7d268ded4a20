import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { quickStart } from './quick-start.ts';

const LIBRARY = join(REPOSITORY_ROOT, 'node_modules/typebox');
const { exports } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8'));
const SPECIFIERS = Object.keys(exports).map((part) => part.replace('.', 'typebox'));

describe('the quick start of programs in tests', () => {
  let env: NodeJS.ProcessEnv;
  before(async () => {
    env = { ...process.env, ...(await quickStart()) };
  });

  it('gives the sources of this repository the bundle, with everything that the library exports', () => {
    const bundled = namesSeenFrom('packages/contract');
    assert.deepEqual(bundled.names, namesSeenFrom('tools').names);
    for (const address of bundled.addresses) assert.match(address, /\/node_modules\/\.cache\/typebox\//);
  });

  it('gives everybody else the library as it is', () => {
    for (const address of namesSeenFrom('tools').addresses) {
      assert.match(address, /\/node_modules\/typebox\/build\//);
    }
  });

  function namesSeenFrom(folder: string): { names: string[][]; addresses: string[] } {
    const specifiers = JSON.stringify(SPECIFIERS);
    const script = `
      const loaded = await Promise.all(${specifiers}.map((specifier) => import(specifier)));
      const names = loaded.map((module) => Object.keys(module).sort());
      const addresses = ${specifiers}.map((specifier) => import.meta.resolve(specifier));
      console.log(JSON.stringify({ names, addresses }));`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: join(REPOSITORY_ROOT, folder),
      env,
      encoding: 'utf8',
    });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout);
  }
});
