import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { REPOSITORY_ROOT } from './repository-files.ts';

const ELSEWHERE = process.platform === 'linux' ? 'win32' : 'linux';
const THING = { version: '1.0.0', integrity: 'sha512-one' };
const LOCKED = {
  '': { name: 'workspace' },
  'packages/core': { name: '@granary/core', version: '0.1.0' },
  'node_modules/thing': THING,
  'node_modules/thing-elsewhere': { ...THING, optional: true, os: [ELSEWHERE] },
  'node_modules/thing-musl': { ...THING, optional: true, os: [process.platform], libc: ['musl'] },
  'node_modules/thing-here': { ...THING, optional: true, os: process.platform, cpu: process.arch },
};
const INSTALLED = {
  'packages/core': LOCKED['packages/core'],
  'node_modules/thing': THING,
  'node_modules/thing-here': LOCKED['node_modules/thing-here'],
};

describe('bootstrap', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'granary-bootstrap-'));
    await mkdir(join(root, 'tools'));
    await mkdir(join(root, 'node_modules'));
    await cp(join(REPOSITORY_ROOT, 'tools/bootstrap.mjs'), join(root, 'tools/bootstrap.mjs'));
    await write('package-lock.json', LOCKED);
    await build('');
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function write(lockFile: string, packages: object): Promise<void> {
    await writeFile(join(root, lockFile), JSON.stringify({ packages }));
  }

  /** A replacement for the build. */
  async function build(code: string): Promise<void> {
    await writeFile(join(root, 'tools/build.ts'), code);
  }

  /** Runs the bootstrap with a replacement for npm that prints its arguments. */
  async function bootstrap(npmExitCode = 0) {
    const npm = join(root, 'npm.js');
    await writeFile(npm, `console.log('npm', ...process.argv.slice(2)); process.exit(${npmExitCode});`);
    const env = { ...process.env, npm_node_execpath: process.execPath, npm_execpath: npm };
    return spawnSync(process.execPath, [join(root, 'tools/bootstrap.mjs')], { env, encoding: 'utf8' });
  }

  test('prints nothing when everything is installed', async () => {
    await write('node_modules/.package-lock.json', INSTALLED);
    const { status, stdout, stderr } = await bootstrap(1);
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
  });

  const without = (path: string): object =>
    Object.fromEntries(Object.entries(INSTALLED).filter(([installed]) => installed !== path));
  const NEEDS: Record<string, object> = {
    'a package is missing': without('node_modules/thing'),
    'an optional package for this machine is missing': without('node_modules/thing-here'),
    'a package is too old': { ...INSTALLED, 'node_modules/thing': { ...THING, version: '0.9.0' } },
    'a package is another one': { ...INSTALLED, 'node_modules/thing': { ...THING, integrity: 'sha512-two' } },
    'a package is no longer wanted': { ...INSTALLED, 'node_modules/leftover': THING },
  };
  for (const [need, installed] of Object.entries(NEEDS)) {
    test(`installs with one line when ${need}`, async () => {
      await write('node_modules/.package-lock.json', installed);
      const { status, stdout } = await bootstrap();
      assert.equal(status, 0);
      assert.match(stdout, /^granary: installing [^\n]*\n$/);
    });
  }

  test("asks for the operators' page and the service, if they have changed", async () => {
    await write('node_modules/.package-lock.json', INSTALLED);
    await build('console.log(process.argv.slice(2).join());');
    assert.deepEqual((await bootstrap()).stdout, '--if-changed\n');
  });

  test('says what to do when the build fails, and the start goes on', async () => {
    await write('node_modules/.package-lock.json', INSTALLED);
    await build('process.exitCode = 1;');
    const { status, stderr } = await bootstrap();
    assert.equal(status, 0);
    assert.match(stderr, /^granary: .* could not be built; .*npm run build.*\n$/);
  });

  test('installs when nothing is installed', async () => {
    const { status, stdout } = await bootstrap();
    assert.equal(status, 0);
    assert.match(stdout, /installing/);
  });

  test("shows npm's own words and one clear line when npm fails", async () => {
    const { status, stderr } = await bootstrap(1);
    assert.equal(status, 1);
    assert.match(stderr, /^npm ci --ignore-scripts .*\ngranary: npm could not install [^\n]*\n$/);
  });

  test('says so when there is no lock file', async () => {
    await rm(join(root, 'package-lock.json'));
    const { status, stderr } = await bootstrap();
    assert.equal(status, 1);
    assert.match(stderr, /^granary: package-lock\.json is missing[^\n]*\n$/);
  });
});
