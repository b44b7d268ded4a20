import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { IS_FULL_SIZE } from '@granary/testing/contract/size';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { buildPackage } from './build.ts';
import { install, installedCommand, packInto } from './install.ts';
import { PUBLISHED_PACKAGES } from './published-packages.ts';

/** A program of a user, which is compiled with strict options and run; the expected type errors are marked. */
const CONSUMER = `import { ApiError, createClient, type LoggedEvent, UnreachableError } from '@granary/client';

const client = createClient({ baseUrl: process.env['GRANARY_URL'] ?? '', apiKey: 'k', timeLimitMs: 0 });

export async function levels(signal: AbortSignal): Promise<number[]> {
  const levels: number[] = [];
  for await (const device of client.devices.silo.listAll({ limit: 10 }, { signal })) {
    const { level } = await client.telemetry.current(device.device_id, { signal });
    if (level?.current != null) levels.push(level.current);
  }
  return levels;
}

export const isRunning = (event: LoggedEvent): boolean =>
  event.type === 'operation.status_changed' && event.data.status === 'in_progress';

// @ts-expect-error the amount is missing
export const incomplete = () => client.operations.feed('silo-1', {});

try {
  await client.devices.silo.get('silo-1');
} catch (error) {
  if (error instanceof UnreachableError) throw error;
  if (error instanceof ApiError && error.code === 'unauthorized') console.log('refused:', error.code);
}
`;

/** The exports of the client's sources must have the types that the package promises. */
const SAME_TYPES = `import type * as Source from '@granary/client';
import type * as Published from '../client/lib/index.d.ts';

export const client = (one: Source.Client): Published.Client => one;
export const event = (one: Source.LoggedEvent): Published.LoggedEvent => one;
export const item = (one: Source.StreamItem): Published.StreamItem => one;
export const refusal = (one: Source.ApiError): Published.ApiError => one;
export const failure = (one: Source.UnreachableError): Published.UnreachableError => one;
export const options = (one: Published.ClientOptions): Source.ClientOptions => one;
export const callOptions = (one: Published.CallOptions): Source.CallOptions => one;
export const filter = (one: Published.EventFilter): Source.EventFilter => one;
`;

const run = promisify(execFile);
const TSC = join(REPOSITORY_ROOT, 'node_modules/typescript/bin/tsc');
const NODE_TYPES = join(REPOSITORY_ROOT, 'node_modules/@types');
/** The oldest Node that the packages support, if the machine has it. */
const SYSTEM_NODE = '/usr/bin/node';

const systemNode = spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' });
const NODES = systemNode.status === 0 ? [process.execPath, SYSTEM_NODE] : [process.execPath];

/** The files that users of a package need: compiled modules, the launcher, mappings of devices, and the files that npm shows. */
const NEEDED =
  /^(package\.json|README\.md|LICENSE|bin\/granary\.mjs|runtime\/(manifest|lock)\.json|dist\/console\/.*|dist\/service\/([a-z0-9-]+\.js|LICENSES\.txt|built-from|page\/page\.(html|js|css)|library\/[a-z0-9-]+\.yaml)|lib\/index\.d\.ts|lib\/[a-z]+\/(src|catalogue)\/.*\.(js|json))$/;
const NOT_NEEDED = /(\.test\.|\/testing\/|tsconfig)/;

/** Runs a test only at full size, because installing and compiling take most of the time. */
const atFullSize = (name: string, run: (t: TestContext) => Promise<void>): void => {
  if (IS_FULL_SIZE) test(name, run);
};

describe('what users install', () => {
  // The folder is below the repository, so that the modules of the command find the libraries that are installed there.
  const built = join(REPOSITORY_ROOT, 'dist', `test-${process.pid}`);
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'granary-packages-'));
    for (const published of PUBLISHED_PACKAGES) await buildPackage(published, join(built, published.name));
  });

  after(async () => {
    await rm(built, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  for (const { name } of PUBLISHED_PACKAGES) {
    test(`${name}: only needed files, and no package of the workspace`, async () => {
      const { paths } = await packInto(join(built, name), folder);
      assert.deepEqual(
        paths.filter((path) => !NEEDED.test(path) || NOT_NEEDED.test(path)),
        [],
      );
      const manifest = JSON.parse(await readFile(join(built, name, 'package.json'), 'utf8'));
      const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      assert.ok(names.length > 0);
      assert.deepEqual(
        names.filter((one) => one.startsWith('@granary/')),
        [],
      );
    });
  }

  atFullSize('the client compiles in strict programs and runs in an empty folder', async (t) => {
    const { tarball } = await packInto(join(built, 'client'), folder);
    const program = join(folder, 'program');
    await mkdir(program);
    await writeFile(join(program, 'package.json'), '{"type":"module","private":true}');
    await writeFile(join(program, 'main.ts'), CONSUMER);
    await install(tarball, program);
    const usual = ['--strict', '--target', 'es2022', '--typeRoots', NODE_TYPES, '--types', 'node'];
    for (const kind of [
      ['--module', 'esnext', '--moduleResolution', 'bundler'],
      ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
    ]) {
      const compiled = spawnSync(process.execPath, [TSC, ...usual, ...kind, 'main.ts'], {
        cwd: program,
        encoding: 'utf8',
      });
      assert.equal(compiled.stdout, '');
    }

    const body = { success: false, error: { code: 'unauthorized', message: 'no', request_id: 'r' } };
    const server = createServer((_request, response) => response.writeHead(401).end(JSON.stringify(body)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const node of NODES) {
      const { stdout } = await run(node, ['main.js'], { cwd: program, env: { GRANARY_URL: url } });
      assert.equal(stdout, 'refused: unauthorized\n');
    }
  });

  atFullSize('the types of the client are those of its sources, without a library behind them', async () => {
    const place = join(built, 'same');
    await mkdir(place);
    await writeFile(join(place, 'same.ts'), SAME_TYPES);
    const project = {
      extends: join(REPOSITORY_ROOT, 'tsconfig.json'),
      compilerOptions: { incremental: false, tsBuildInfoFile: null },
      include: ['same.ts'],
      exclude: [],
    };
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify(project));
    const compared = spawnSync(process.execPath, [TSC, '-p', place, '--noEmit'], { encoding: 'utf8' });
    assert.equal(compared.stdout, '');
    assert.doesNotMatch(await readFile(join(built, 'client/lib/index.d.ts'), 'utf8'), /^import|import\(/m);
  });

  test('the command runs on an old Node too, and answers with its exit code', async () => {
    const granary = join(built, 'cli/bin/granary.mjs');
    const { version } = JSON.parse(
      await readFile(join(REPOSITORY_ROOT, 'packages/cli/package.json'), 'utf8'),
    );
    for (const node of NODES) {
      const shown = spawnSync(node, [granary, '--version'], { encoding: 'utf8' });
      assert.match(shown.stdout, new RegExp(`\\b${version.replaceAll('.', '\\.')}\\b`), shown.stderr);
      assert.equal(shown.status, 0);
      assert.equal(spawnSync(node, [granary, 'no-such-command']).status, 2);
    }
  });

  atFullSize(
    'an installed command leaves the Node of the project alone, and runs on an old one with a Node of its own',
    async () => {
      const { tarball } = await packInto(join(built, 'cli'), folder);
      const project = join(folder, 'project');
      await install(tarball, project);
      const commands = await readdir(join(project, 'node_modules/.bin'));
      assert.ok(commands.includes('granary') && !commands.includes('node'), commands.join(' '));
      for (const node of NODES) {
        const shown = spawnSync(node, [installedCommand(project), '--version'], { encoding: 'utf8' });
        assert.equal(shown.status, 0, shown.stderr);
      }
    },
  );

  atFullSize('the command starts the demo in an empty folder, and ends when it is interrupted', async (t) => {
    const { tarball } = await packInto(join(built, 'cli'), folder);
    for (const [index, node] of NODES.entries()) {
      const empty = join(folder, `empty-${index}`);
      await install(tarball, empty);
      const granary = installedCommand(empty);
      const env = { PATH: process.env['PATH'], GRANARY_HTTP_PORT: '0', GRANARY_MQTT_PORT: '0' };
      const child = spawn(node, [granary, 'up'], { cwd: empty, env });
      t.after(() => child.kill('SIGKILL'));
      const url = await printedUrl(child.stdout);
      for (const path of ['/readyz', '/openapi.json', '/docs', '/docs/script.js', '/icon.svg']) {
        assert.equal((await fetch(url + path)).status, 200, path);
      }
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    }
  });
});

async function printedUrl(output: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (url !== undefined && text.includes('\n', text.indexOf(url))) return url;
  }
  throw new Error(`ended without an address: ${text}`);
}
