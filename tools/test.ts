import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.ts';
import { REPOSITORY_ROOT, repositoryFiles } from './repository-files.ts';
import { HELP, parseTestArguments, selectTests } from './test-setup/arguments.ts';
import { ensureOutsidePrograms } from './test-setup/outside-programs.ts';
import { startPostgres } from './test-setup/postgres.ts';
import { quickStart } from './test-setup/quick-start.ts';
import { runTests } from './test-setup/runner.ts';
import { isAllTouched } from './test-setup/untouched.ts';

async function main(args: readonly string[], interruption: AbortSignal): Promise<number> {
  const { help, options, prefixes } = parseTestArguments(args);
  if (help) {
    console.log(HELP);
    return 0;
  }
  const files = selectTests(repositoryFiles(REPOSITORY_ROOT), prefixes);
  if (files.length === 0) {
    console.error(`no tests below ${prefixes.join(', ')}`);
    return 1;
  }
  if (prefixes.length === 0 && !(await check())) return 1;
  const programs = { ...(await ensureOutsidePrograms()), ...(await quickStart()) };
  return await withDatabase((url) =>
    withNotes(args.length === 0, (touched) => {
      const env = { ...programs, GRANARY_TEST_DATABASE_URL: url, GRANARY_TEST_TOUCHED: touched };
      return runTests({ files, options, env, interruption });
    }),
  );
}

/** The tests note which operations and error codes they touched; when all tests ran, none may be missing. */
async function withNotes(isWholeRun: boolean, use: (folder: string) => Promise<number>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'granary-touched-'));
  try {
    const exitCode = await use(folder);
    if (exitCode !== 0 || !isWholeRun) return exitCode;
    return (await isAllTouched(folder)) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withDatabase(use: (url: string) => Promise<number>): Promise<number> {
  const given = process.env['GRANARY_TEST_DATABASE_URL'];
  if (given !== undefined) return await use(given);
  const postgres = await startPostgres({ isDurable: false }).catch((error: unknown) => {
    console.error('PostgreSQL did not start; GRANARY_TEST_DATABASE_URL=postgres://… can name one that runs.');
    throw error;
  });
  try {
    return await use(postgres.url);
  } finally {
    await postgres.stop();
  }
}

// A signal ends the tests but not this process, which has to stop and remove the database.
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupted.abort());
process.exitCode = await main(process.argv.slice(2), interrupted.signal);
