import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { InstalledFarm } from './installed-farm.ts';

/** The commands of the tour in docs/cli.md. */
const TOUR: readonly (readonly string[])[] = [
  ['devices', '--q', 'silo-0', '--facility', 'Riverside Mill'],
  ['device', 'show', 'silo-02'],
  ['discharge', 'silo-02', '10', '--to', 'cart', '--yes'],
  ['audit', '--limit', '1'],
  ['stop', 'rover-01'],
  ['release', 'rover-01', '--yes'],
  ['doctor'],
];
const PAGE = join(REPOSITORY_ROOT, 'docs/cli.md');
const BLOCK = /(?<=^```\n)\$ granary .*?(?=^```$)/ms;

/** Runs the commands as they are printed, and returns what a terminal would show. */
export async function recordTour(farm: InstalledFarm, env: Readonly<Record<string, string>> = {}) {
  const recorded: string[] = [];
  const faults: string[] = [];
  for (const args of TOUR) {
    const line = `granary ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`;
    const { printed, exitCode } = await farm.granary(args, env);
    recorded.push(`$ ${line}\n${printed}`);
    if (exitCode !== 0) faults.push(`${line} ended with ${exitCode}: ${printed}`);
  }
  return { text: recorded.join('\n'), faults };
}

export const tourIn = (page: string): string => BLOCK.exec(page)?.[0] ?? '';

export const withTour = (page: string, text: string): string => page.replace(BLOCK, () => text);

/** The lines that only one of two recordings has, after values, times and parts that depend on the machine are removed. */
export function differences(page: string, recorded: string): string[] {
  const before = comparable(page);
  const now = comparable(recorded);
  return [
    ...before.filter((line) => !now.includes(line)).map((line) => `only in docs/cli.md: ${line}`),
    ...now.filter((line) => !before.includes(line)).map((line) => `not in docs/cli.md: ${line}`),
  ];
}

/** Whether these states of an operation or a command are seen between its start and its end depends on the moment. */
const PASSING = /^(started|in_progress|queued|sent|executing): /;

const comparable = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !PASSING.test(line))
    .map((line) =>
      line
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .replace(/\b(op|cmd)_\w+/g, '<id>')
        .replace(/^(ok|warn)( +disk )/, '<ok or warn>$2')
        // The measured amount is present only if the scale has reported since the end.
        .replace(/, [\d.]+ kg measured$/, '')
        .replace(/-?\d+(\.\d+)?/g, '<number>')
        .replace(/ +/g, ' '),
    );

/** Runs the tour with the packed command, and writes its output into docs/cli.md. */
async function writeTour(): Promise<void> {
  const farm = await InstalledFarm.start();
  try {
    const { text, faults } = await recordTour(farm);
    console.log(text);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    await writeFile(PAGE, withTour(await readFile(PAGE, 'utf8'), text));
  } finally {
    await farm.stop();
  }
}

if (import.meta.main) await writeTour();
