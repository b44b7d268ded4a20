import { exitCodeOf, start } from './child-command.ts';
import { importFaults } from './import-direction.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';
import { textFaults } from './text-rules.ts';

interface Step {
  readonly title: string;
  readonly faults: () => Promise<string[]>;
}

/** A command line tool that prints its own findings. */
const command = (name: string, ...args: string[]): (() => Promise<string[]>) => {
  return async () => {
    const exitCode = await exitCodeOf(start(name, args));
    return exitCode === 0 ? [] : [`${name} found the above`];
  };
};

/** With its usual four checkers the compiler computes many types four times, which doubles the processor time. */
const types = (project: string) => command('tsc', '-p', project, '--checkers', '1');

/** The steps of a row run one after the other, and the rows run in parallel. */
const ROWS: readonly (readonly Step[])[] = [
  [
    { title: 'types', faults: types('.') },
    { title: 'types of the console', faults: types('packages/console') },
  ],
  [
    { title: 'lint and format', faults: command('biome', 'check', '--error-on-warnings', '.') },
    { title: 'unused files and exports', faults: command('knip', '--no-progress', '--no-config-hints') },
    { title: 'import direction', faults: () => importFaults(REPOSITORY_ROOT) },
    { title: 'text rules', faults: () => textFaults(REPOSITORY_ROOT) },
  ],
];

/** Runs all static checks and returns true when all pass. */
export async function check(): Promise<boolean> {
  console.log('▶ types, lint and format, unused exports, import direction, text rules');
  const failed = (await Promise.all(ROWS.map(failedOf))).flat();
  console.log(failed.length === 0 ? '' : `check failed: ${failed.join(', ')}`);
  return failed.length === 0;
}

async function failedOf(steps: readonly Step[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { title, faults } of steps) {
    const startedMs = performance.now();
    const found = await faults();
    for (const fault of found) console.log(`  ${fault}`);
    const tookSeconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`${found.length === 0 ? '✔' : '✖'} ${title} (${tookSeconds} s)`);
    if (found.length > 0) failed.push(title);
  }
  return failed;
}

if (import.meta.main) process.exitCode = (await check()) ? 0 : 1;
