import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';
import { EXIT_CODE_WHEN_KILLED, exitCodeOf, start } from './child-command.ts';
import { REPOSITORY_ROOT, repositoryFiles } from './repository-files.ts';
import { ensureBuiltPrograms, quickStart } from './test-setup/built-programs.ts';
import { ensureOutsidePrograms } from './test-setup/outside-programs.ts';
import { startPostgres, withTemplate } from './test-setup/postgres.ts';
import { CONCURRENT_PROCESSES, writeProcessFiles } from './test-setup/processes.ts';
import { isAllTouched } from './test-setup/untouched.ts';

const HELP = `npm test                                  every test, and the check beside them
npm test -- packages/core                 only the tests below a path, without the check
npm test -- --test-name-pattern=alert     any option of Node's test runner, written with =

The tests use a PostgreSQL of their own, started and removed here; GRANARY_TEST_DATABASE_URL=postgres://…
names another one (as a user who may create databases).`;

const TEST_FILE = /^(packages\/[^/]+\/src|lab|tools)\/.*\.test\.ts$/;
/** A process of tests that takes longer than this fails, so that a hanging test does not block the run. */
const TIMEOUT_MS = 600_000;
/** Processes of tests load mostly the same modules, so they share Node's compile cache. */
const COMPILE_CACHE = join(REPOSITORY_ROOT, 'node_modules/.cache/compiled');
/** In this folder files are in memory, so flushing them to disk takes no time. */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

async function main(args: readonly string[], interruption: AbortSignal): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const paths = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replace(/^\.\/|\/+$/g, ''));
  const files = repositoryFiles(REPOSITORY_ROOT).filter(
    (file) =>
      TEST_FILE.test(file) &&
      (paths.length === 0 || paths.some((path) => file === path || file.startsWith(`${path}/`))),
  );
  if (files.length === 0) {
    console.error(`no tests below ${paths.join(', ')}`);
    return 1;
  }
  // The check runs beside the tests, many of which wait for something; they end when it fails.
  const failed = new AbortController();
  const checking = (paths.length === 0 ? check() : Promise.resolve(true)).then((isPassed) => {
    if (!isPassed) failed.abort();
    return isPassed;
  });
  const [isChecked, exitCode] = await Promise.all([
    checking,
    testsOf(files, args, AbortSignal.any([interruption, failed.signal])),
  ]);
  return isChecked ? exitCode : 1;
}

/** `args` are those of the command: options of the test runner, and paths. */
async function testsOf(
  files: readonly string[],
  args: readonly string[],
  interruption: AbortSignal,
): Promise<number> {
  const options = args.filter((arg) => arg.startsWith('-'));
  const programs = {
    ...(await ensureOutsidePrograms()),
    ...(await quickStart()),
    ...(await ensureBuiltPrograms()),
  };
  const parent = await temporaryFolder();
  const folder = await mkdtemp(join(parent, 'granary-tests-'));
  // Some tests act as another user, who must be able to reach their own folder in it.
  await chmod(folder, 0o711);
  try {
    return await withDatabase(parent, async (database) => {
      // The tests note the operations and error codes that they touched; if all tests ran, none may be missing.
      const touched = await mkdtemp(join(folder, 'touched-'));
      const env = {
        ...programs,
        ...database,
        TMPDIR: folder,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        GRANARY_TEST_TOUCHED: touched,
      };
      const exitCode = await runTests(await writeProcessFiles(files, folder), options, env, interruption);
      if (exitCode !== 0 || args.length > 0) return exitCode;
      return (await isAllTouched(touched)) ? 0 : 1;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runTests(
  files: readonly string[],
  options: readonly string[],
  env: NodeJS.ProcessEnv,
  interruption: AbortSignal,
): Promise<number> {
  if (interruption.aborted) return EXIT_CODE_WHEN_KILLED;
  const runner = ['--test', `--test-timeout=${TIMEOUT_MS}`, `--test-concurrency=${CONCURRENT_PROCESSES}`];
  const child = start(process.execPath, [...runner, ...options, ...files], env);
  interruption.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return await exitCodeOf(child);
}

async function temporaryFolder(): Promise<string> {
  const space = await statfs(MEMORY_FOLDER).catch(() => null);
  const isRoomy = space !== null && space.bavail * space.bsize >= MEMORY_BYTES_MIN;
  return isRoomy ? MEMORY_FOLDER : tmpdir();
}

async function withDatabase(
  parent: string,
  use: (env: NodeJS.ProcessEnv) => Promise<number>,
): Promise<number> {
  const given = process.env['GRANARY_TEST_DATABASE_URL'];
  if (given !== undefined) return await withTemplate(given, use);
  const postgres = await startPostgres({ parent, isDurable: false }).catch((error: unknown) => {
    console.error('PostgreSQL did not start; GRANARY_TEST_DATABASE_URL=postgres://… can name one that runs.');
    throw error;
  });
  try {
    return await withTemplate(postgres.url, use);
  } finally {
    await postgres.stop();
  }
}

// A signal ends the tests but not this process, which has to stop and remove the database first.
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());
process.exitCode = await main(process.argv.slice(2), interrupted.signal);
