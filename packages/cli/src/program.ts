import { Command } from 'commander';
import { COMMANDS, type CommandEntry } from './commands.ts';
import type { Environment } from './frame/environment.ts';

const COLUMNS_DEFAULT = 100;

const isNamed = ({ name, alias }: CommandEntry, text: string | undefined): boolean =>
  text !== undefined && (text === name || text === alias);

/** The command line; of the commands only those are complete that `isNeeded` selects. */
export async function createProgram(
  environment: Environment,
  version: string,
  isNeeded: (entry: CommandEntry) => boolean,
): Promise<Command> {
  const { terminal } = environment;
  const program = new Command('granary')
    .description('Device monitoring and control for farms and plants.')
    .usage('<command> [options]')
    .version(version, '--version', 'say which version this is')
    .helpOption('-h, --help', 'say how to use it')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => environment.print(text.trimEnd()),
      writeErr: () => undefined,
      getOutHelpWidth: () => terminal.columns ?? COLUMNS_DEFAULT,
      getOutHasColors: () => terminal.hasColour,
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 refused by the service, 4 not reachable, 5 declined, 130 interrupted\nMore about a command: granary <command> --help',
    );
  for (const entry of COMMANDS) {
    const { name, alias, summary, group } = entry;
    const command = program.command(name).summary(summary).helpGroup(group).helpCommand(false);
    if (alias !== undefined) command.alias(alias);
    if (!isNeeded(entry)) continue;
    if (entry.survivesClosedOutput) environment.surviveClosedOutput();
    (await entry.load())(command, environment);
  }
  return program;
}

/** For a command line: the command that it names, or all if that one looks at them. */
export function namedIn([name]: readonly string[]): (entry: CommandEntry) => boolean {
  const named = COMMANDS.find((entry) => isNamed(entry, name));
  return (entry) => entry === named || named?.needsAll === true;
}

export const isMisspelled = ([name]: readonly string[]): boolean =>
  name !== undefined && !name.startsWith('-') && !COMMANDS.some((entry) => isNamed(entry, name));
