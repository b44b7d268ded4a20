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

const STEPS: readonly Step[] = [
  { title: 'types', faults: command('tsc', '-p', '.') },
  { title: 'types of the console', faults: command('tsc', '-p', 'packages/console') },
  { title: 'lint and format', faults: command('biome', 'check', '--error-on-warnings', '.') },
  { title: 'import direction', faults: () => importFaults(REPOSITORY_ROOT) },
  { title: 'text rules', faults: () => textFaults(REPOSITORY_ROOT) },
];

/** Runs all static checks and returns true when all pass. */
export async function check(): Promise<boolean> {
  const failed: string[] = [];
  for (const { title, faults } of STEPS) {
    console.log(`▶ ${title}`);
    const startedMs = performance.now();
    const found = await faults();
    for (const fault of found) console.log(`  ${fault}`);
    const tookSeconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(`${found.length === 0 ? '✔' : '✖'} ${title} (${tookSeconds} s)\n`);
    if (found.length > 0) failed.push(title);
  }
  if (failed.length > 0) console.log(`check failed: ${failed.join(', ')}`);
  return failed.length === 0;
}

if (import.meta.main) process.exitCode = (await check()) ? 0 : 1;
