import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_CODE_WHEN_KILLED, exitCodeOf, start } from '../run.ts';

/** Test files run in separate processes that load mostly the same modules, so they share Node's compile cache. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
/** A test that takes longer than this fails, so that a test that hangs does not block the run. */
const TEST_TIMEOUT_MS = 600_000;
/** More than the number of processors, because many tests mostly wait; with one more, a fifth of two processors was idle. */
const FILES_AT_ONCE = availableParallelism() + 2;
/** Tests of pure functions change nothing outside of themselves, so one process can run them all: it takes a sixth of the time. */
const HAS_PURE_TESTS = /(^|\/)packages\/(contract|core)\//;
const FAILED_FILES_REPORTER = fileURLToPath(new URL('failed-files.ts', import.meta.url));

export interface TestRun {
  readonly files: readonly string[];
  /** Options of Node's test runner. */
  readonly options: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly interruption: AbortSignal;
}

/**
 * Runs the files of pure functions in one process and the others side by side, then each file that failed once more, alone. Real brokers, databases and browsers
 * share the machine with each other, and on a slow one they may need longer than a test waits. A test that fails
 * alone too fails the run; one that passes alone is named at the end.
 */
export async function runTests(run: TestRun): Promise<number> {
  const [pure = [], others = []] = [true, false].map((wanted) =>
    run.files.filter((file) => HAS_PURE_TESTS.test(file) === wanted),
  );
  const inOneProcess = [...run.options, '--test-isolation=none'];
  const first = await runOnce({ ...run, files: pure, options: inOneProcess }, 1);
  const second = await runOnce({ ...run, files: others }, FILES_AT_ONCE);
  const exitCode = first.exitCode === 0 ? second.exitCode : first.exitCode;
  const failedFiles = [...first.failedFiles, ...second.failedFiles];
  if (exitCode === 0 || failedFiles.length === 0 || run.interruption.aborted) return exitCode;
  console.log(`\nOnce more, one after the other: ${failedFiles.join(', ')}\n`);
  const repeated = await runOnce({ ...run, files: failedFiles }, 1);
  const passed = failedFiles.filter((file) => !repeated.failedFiles.includes(file));
  for (const file of passed) console.log(`FAILED BESIDE OTHER TESTS, PASSED ALONE: ${file}`);
  return repeated.exitCode;
}

interface Outcome {
  readonly exitCode: number;
  readonly failedFiles: readonly string[];
}

async function runOnce(run: TestRun, filesAtOnce: number): Promise<Outcome> {
  const { files, options, env, interruption } = run;
  if (files.length === 0) return { exitCode: 0, failedFiles: [] };
  if (interruption.aborted) return { exitCode: EXIT_CODE_WHEN_KILLED, failedFiles: [] };
  const folder = await mkdtemp(join(tmpdir(), 'granary-test-run-'));
  try {
    const failedList = join(folder, 'failed-files');
    const runner = ['--test', `--test-timeout=${TEST_TIMEOUT_MS}`, `--test-concurrency=${filesAtOnce}`];
    runner.push('--test-reporter=spec', '--test-reporter-destination=stdout');
    runner.push(`--test-reporter=${FAILED_FILES_REPORTER}`, `--test-reporter-destination=${failedList}`);
    const args = [...runner, ...options, ...files];
    const child = start(process.execPath, args, { ...env, NODE_COMPILE_CACHE: COMPILE_CACHE });
    interruption.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
    const exitCode = await exitCodeOf(child);
    const lines = (await readFile(failedList, 'utf8')).split('\n').filter((line) => line !== '');
    const failed = new Set(lines.map((line) => resolve(line)));
    return { exitCode, failedFiles: files.filter((file) => failed.has(resolve(file))) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
