import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { importFaults } from './import-direction.ts';

const PACKAGES = [
  'common',
  'words',
  'contract',
  'core',
  'store',
  'app',
  'link',
  'server',
  'client',
  'simulator',
  'bridge',
  'console',
  'cli',
  'testing',
];
const LIBRARIES = ['typebox', 'pg', 'mqtt', 'fastify', 'pino', 'fast-check'];

describe('import direction', () => {
  let root: string;

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'granary-imports-'));
    await write('package.json', '{ "name": "repository", "private": true, "workspaces": ["packages/*"] }');
    await mkdir(join(root, 'node_modules/@granary'), { recursive: true });
    for (const name of PACKAGES) {
      const manifest = { name: `@granary/${name}`, type: 'module', exports: { './*': './src/*.ts' } };
      await write(`packages/${name}/package.json`, JSON.stringify(manifest));
      await write(`packages/${name}/src/thing.ts`, 'export const thing = 1;\nexport type Thing = number;\n');
      await symlink(join(root, 'packages', name), join(root, 'node_modules/@granary', name));
    }
    for (const library of LIBRARIES) {
      await write(
        `node_modules/${library}/package.json`,
        JSON.stringify({ name: library, main: 'index.js' }),
      );
      await write(`node_modules/${library}/index.js`, 'export const thing = 1;\n');
    }
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  const ALLOWED = [
    ['contract', 'typebox'],
    ['core', '@granary/contract/thing'],
    ['core', '@granary/common/thing'],
    ['app', '@granary/core/thing'],
    ['app', '@granary/store/thing'],
    ['server', '@granary/app/thing'],
    ['store', 'pg'],
    ['store', 'node:sqlite'],
    ['link', '@granary/contract/thing'],
    ['server', '@granary/store/thing'],
    ['server', '@granary/link/thing'],
    ['server', 'fastify'],
    ['client', '@granary/contract/thing'],
    ['simulator', '@granary/client/thing'],
    ['simulator', 'mqtt'],
    ['bridge', '@granary/client/thing'],
    ['bridge', 'mqtt'],
    ['console', '@granary/client/thing'],
    ['cli', '@granary/server/thing'],
  ] as const;

  test('an example imports nothing that its users cannot install', async () => {
    await write('examples/good.mjs', "import 'mqtt';\nimport 'node:fs';\n");
    assert.deepEqual(await importFaults(root), []);
    await write('examples/bad.mjs', "import '@granary/contract/thing';\n");
    const [fault] = await importFaults(root);
    assert.match(fault ?? '', /^examples\/bad\.mjs → .* breaks examples-imports/);
  });

  test('allowed imports have no faults', async () => {
    for (const [index, [name, target]] of ALLOWED.entries()) {
      await write(`packages/${name}/src/allowed-${index}.ts`, `import { thing } from '${target}';\n`);
    }
    await write(
      'packages/core/src/thing.test.ts',
      "import { test } from 'node:test';\nimport 'fast-check';\n",
    );
    await write('packages/server/src/thing.test.ts', "import '@granary/simulator/thing';\nimport 'mqtt';\n");
    await write('packages/core/src/other.test.ts', "import '@granary/testing/rig';\n");
    await write('packages/testing/src/rig.ts', "import '@granary/cli/thing';\nimport 'mqtt';\n");
    await write('packages/server/bench/thing.ts', "import '@granary/simulator/thing';\n");
    await write('lab/bench.ts', "import '@granary/server/thing';\nimport 'mqtt';\n");
    assert.deepEqual(await importFaults(root), []);
  });

  const BREACHES = [
    ['contract/src/breach.ts', 'import { thing }', '@granary/core/thing', 'contract-imports'],
    ['contract/src/breach.ts', 'import { thing }', 'node:fs', 'contract-without-node'],
    ['core/src/breach.ts', 'import { thing }', '@granary/store/thing', 'core-imports'],
    ['core/src/breach.ts', 'import type { Thing }', '@granary/store/thing', 'core-imports'],
    ['core/src/breach.ts', 'import { thing }', 'typebox', 'core-imports'],
    ['core/src/breach.ts', 'import { thing }', 'node:sqlite', 'core-without-node'],
    ['core/src/breach.ts', 'import { thing }', 'fast-check', 'core-imports'],
    ['store/src/breach.ts', 'import { thing }', '@granary/link/thing', 'store-imports'],
    ['store/src/breach.ts', 'import { thing }', '@granary/core/thing', 'store-imports'],
    ['store/src/breach.ts', 'import { thing }', '@granary/app/thing', 'store-imports'],
    ['app/src/breach.ts', 'import { thing }', '@granary/server/thing', 'app-imports'],
    ['app/src/breach.ts', 'import { thing }', 'pg', 'app-imports'],
    ['store/src/breach.test.ts', 'import { thing }', '@granary/server/thing', 'store-test-imports'],
    ['testing/src/breach.ts', 'import { thing }', 'fastify', 'testing-imports'],
    ['server/src/breach.ts', 'import { thing }', '@granary/testing/thing', 'tests-stay-outside'],
    ['link/src/breach.ts', 'import { thing }', '@granary/store/thing', 'link-imports'],
    ['link/src/breach.ts', 'import { thing }', 'mqtt', 'link-imports'],
    ['server/src/breach.ts', 'import { thing }', '@granary/simulator/thing', 'server-imports'],
    ['server/src/breach.ts', 'import { thing }', 'pg', 'server-imports'],
    ['client/src/breach.ts', 'import { thing }', '@granary/server/thing', 'client-imports'],
    ['simulator/src/breach.ts', 'import { thing }', '@granary/server/thing', 'simulator-imports'],
    ['bridge/src/breach.ts', 'import { thing }', '@granary/core/thing', 'bridge-imports'],
    ['server/src/breach.ts', 'import { thing }', '@granary/bridge/thing', 'server-imports'],
    ['console/src/breach.tsx', 'import { thing }', '@granary/core/thing', 'console-imports'],
    ['console/src/breach.tsx', 'import { thing }', 'node:fs', 'console-without-node'],
    ['cli/src/breach.ts', 'import { thing }', '@granary/store/thing', 'cli-imports'],
    ['core/src/breach.ts', 'import { thing }', '../../contract/src/thing.ts', 'no-relative-path'],
    ['core/src/breach.ts', 'import { thing }', './missing.ts', 'resolvable'],
    ['unlisted/src/breach.ts', 'import { thing }', '@granary/contract/thing', 'known-packages-only'],
  ] as const;

  describe('breaches', () => {
    /** Every breach is in its own file, so that one check of the repository finds them all. */
    const fileOf = (file: string, index: number): string =>
      `packages/${file.replace('breach', `breach-${index}`)}`;
    let faults: readonly string[] | undefined;

    for (const [index, [file, clause, target, rule]] of BREACHES.entries()) {
      test(`${file} with ${clause} from ${target} breaks ${rule}`, async () => {
        faults ??= await faultsOfAllBreaches();
        const own = faults.filter((fault) => fault.startsWith(`${fileOf(file, index)} → `));
        assert.ok(
          own.some((fault) => fault.includes(rule)),
          `expected a breach of ${rule}, found: ${own.join('; ') || 'none'}`,
        );
      });
    }

    async function faultsOfAllBreaches(): Promise<string[]> {
      for (const [index, [file, clause, target]] of BREACHES.entries()) {
        await write(fileOf(file, index), `${clause} from '${target}';\n`);
      }
      return await importFaults(root);
    }
  });

  test('the two database engines do not import each other', async () => {
    await write('packages/store/src/sqlite/engine.ts', "import '../postgres/engine.ts';\n");
    await write('packages/store/src/postgres/engine.ts', 'export const engine = 1;\n');
    const faults = await importFaults(root);
    assert.equal(faults.length, 1);
    assert.match(String(faults[0]), /sqlite-apart-from-postgres/);
  });

  test('a room of the server imports no room above it', async () => {
    await write('packages/server/src/http/route.ts', "import '../process/clock.ts';\n");
    await write('packages/server/src/process/clock.ts', 'export const clock = 1;\n');
    assert.deepEqual(await importFaults(root), []);
    await write('packages/server/src/devices/link.ts', "import '../http/route.ts';\n");
    assert.match((await importFaults(root)).join('\n'), /server-devices-imports/);
  });

  test('no two folders import each other, unless one contains the other', async () => {
    await write('packages/core/src/alerts/rules/rule.ts', "import '../state.ts';\n");
    await write('packages/core/src/alerts/state.ts', 'export const state = 1;\n');
    await write(
      'packages/core/src/alerts/all.ts',
      "import './rules/rule.ts';\nimport '../devices/status.ts';\n",
    );
    await write('packages/core/src/devices/status.ts', 'export const status = 1;\n');
    assert.deepEqual(await importFaults(root), []);
    await write('packages/core/src/devices/record.ts', "import '../alerts/state.ts';\n");
    assert.match(
      (await importFaults(root)).join('\n'),
      /alerts and packages\/core\/src\/devices import each other/,
    );
  });

  test('nothing imports the lab', async () => {
    await write('lab/bench.ts', "import '../tools/free-port.ts';\n");
    await write('tools/free-port.ts', 'export const port = 1;\n');
    assert.deepEqual(await importFaults(root), []);
    await write('tools/build.ts', "import '../lab/bench.ts';\n");
    assert.match((await importFaults(root)).join('\n'), /lab-stays-outside/);
  });

  test('a cycle is a fault', async () => {
    await write('packages/core/src/one.ts', "import './two.ts';\n");
    await write('packages/core/src/two.ts', "import type { One } from './one.ts';\n");
    assert.match((await importFaults(root)).join('\n'), /no-cycles/);
  });

  test('a repository without modules is a fault, not a pass', async () => {
    await rm(join(root, 'packages'), { recursive: true });
    assert.deepEqual(await importFaults(root), ['nothing was looked at']);
  });
});
