import { main } from '@granary/cli/main';
import type { Environment } from '@granary/cli/program/environment';

/** Runs a command line inside this process, which is faster and works for commands that end by themselves. */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  more: Partial<Environment> = {},
) {
  const printed: string[] = [];
  const errorLines: string[] = [];
  const exitCode = await main(args, {
    env: { XDG_CONFIG_HOME: '/nonexistent', ...env },
    terminal: { columns: null, hasColour: false, isUtf8: true },
    readInput: async () => '',
    surviveClosedOutput: () => undefined,
    print: (line) => printed.push(line),
    taken: async () => undefined,
    printError: (line) => errorLines.push(line),
    ...more,
  });
  return { exitCode, stdout: printed.join('\n'), stderr: errorLines.join('\n') };
}
