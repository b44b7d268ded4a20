import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-files.ts';

export const EXIT_CODE_WHEN_KILLED = 130;
const INSTALLED_COMMANDS = join(REPOSITORY_ROOT, 'node_modules', '.bin');

/** Starts a command with the output of this process; installed commands take precedence over those of the machine. */
export function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const path = env['PATH'] ?? process.env['PATH'];
  return spawn(command, args, {
    cwd: REPOSITORY_ROOT,
    env: { ...process.env, ...env, PATH: [INSTALLED_COMMANDS, path].join(delimiter) },
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

export async function exitCodeOf(child: ChildProcess): Promise<number> {
  const [code]: (number | null)[] = await once(child, 'exit');
  return code ?? EXIT_CODE_WHEN_KILLED;
}
