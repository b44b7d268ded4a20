import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { SERVICE_SOURCES } from '../../packages/cli/bin/service-sources.mjs';
import { sourcesDigest } from '../../packages/cli/bin/sources-digest.mjs';
import { REPOSITORY_ROOT } from '../repository-files.ts';

const SOURCE = 'packages/cli/src/granary.ts';

/** The launcher runs in a folder that looks like the repository, with programs that print their names. */
describe('the launcher of the command', () => {
  let root = '';
  let home = '';

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'granary-launcher-'));
    home = join(root, 'home');
    await cp(join(REPOSITORY_ROOT, 'packages/cli/bin'), join(root, 'packages/cli/bin'), { recursive: true });
    for (const path of SERVICE_SOURCES) {
      if (path.endsWith('.json')) await put(path, '{ "type": "module" }');
      else await mkdir(join(root, path), { recursive: true });
    }
    await put(SOURCE, "console.log('sources', ...process.argv.slice(2));");
    await put('packages/core/src/decision.ts', 'export const DECISION = 1;');
    await build('dist/service');
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function put(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }

  async function build(folder: string): Promise<void> {
    await put('dist/package.json', '{ "type": "module" }');
    await put(`${folder}/granary.js`, "console.log('built', ...process.argv.slice(2));");
    await put(`${folder}/built-from`, `${sourcesDigest(root, SERVICE_SOURCES)}\n`);
  }

  function run(launcher = 'packages/cli/bin/granary.mjs'): string {
    const env = { PATH: process.env['PATH'], HOME: home };
    const { stdout, stderr } = spawnSync(process.execPath, [join(root, launcher), 'a', 'b'], {
      env,
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`;
  }

  test('every package but those that the service does not run counts as a source', async () => {
    const packages = await readdir(join(REPOSITORY_ROOT, 'packages'));
    const missing = packages.filter((name) => !SERVICE_SOURCES.includes(`packages/${name}/src`));
    assert.deepEqual(
      missing.filter((name) => name !== 'testing'),
      ['console'],
    );
  });

  test('runs what was built from the present sources', () => {
    assert.equal(run(), 'built a b\n');
  });

  const CHANGES: Readonly<Record<string, () => Promise<void>>> = {
    'a module has changed': () => put('packages/core/src/decision.ts', 'export const DECISION = 2;'),
    'a module is new': () => put('packages/core/src/more/other.ts', ''),
    'a module is gone': () => rm(join(root, 'packages/core/src/decision.ts')),
    'a library has changed': () => put('package-lock.json', '{ "type": "module", "packages": {} }'),
    'a build was interrupted': () => rm(join(root, 'dist/service/built-from')),
    'nothing was built': () => rm(join(root, 'dist'), { recursive: true }),
  };
  for (const [change, make] of Object.entries(CHANGES)) {
    test(`runs the sources when ${change}`, async () => {
      await make();
      assert.equal(run(), 'sources a b\n');
    });
  }

  test('runs what was built when only tests have changed', async () => {
    await put('packages/core/src/decision.test.ts', '');
    await put('packages/testing/src/core/decisions.ts', '');
    assert.equal(run(), 'built a b\n');
  });

  test('runs what was built in the package that users install, which has no sources', async () => {
    await cp(join(root, 'packages/cli/bin'), join(root, 'installed/bin'), { recursive: true });
    await cp(join(root, 'dist'), join(root, 'installed/dist'), { recursive: true });
    assert.equal(run('installed/bin/granary.mjs'), 'built a b\n');
  });

  test('keeps compiled code beside what was built, and where that is not possible, in the cache of the user', async () => {
    assert.equal(run(), 'built a b\n');
    assert.equal((await readdir(join(root, 'dist/compile-cache'))).length, 1);
    await rm(join(root, 'dist/compile-cache'), { recursive: true });
    await writeFile(join(root, 'dist/compile-cache'), 'not a folder');
    assert.equal(run(), 'built a b\n');
    assert.equal((await readdir(join(home, '.cache/granary'))).length, 1);
  });

  test('runs also where compiled code can be kept nowhere', async () => {
    await writeFile(join(root, 'dist/compile-cache'), 'not a folder');
    await writeFile(home, 'not a folder');
    assert.equal(run(), 'built a b\n');
  });
});
