import { Command, CommanderError } from 'commander';
import { COMMANDS, type CommandEntry } from './commands.ts';
import type { Environment } from './program/environment.ts';
import { EXIT, explain, explanationLines, UsageError } from './program/explain.ts';
import { JSON_OPTION } from './program/options.ts';

/** The version of the command. */
export const VERSION = manifest.version;
const COLUMNS_DEFAULT = 100;

import manifest from '../package.json' with { type: 'json' };

const isNamed = ({ name, alias }: CommandEntry, text: string | undefined): boolean =>
  text !== undefined && (text === name || text === alias);

/** Makes the program of commander; only the commands that `isNeeded` selects are complete. */
async function createProgram(
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

/** Selects the command that a command line names, or all commands if that one needs them. */
function namedIn([name]: readonly string[]): (entry: CommandEntry) => boolean {
  const named = COMMANDS.find((entry) => isNamed(entry, name));
  return (entry) => entry === named || named?.needsAll === true;
}

const isMisspelled = ([name]: readonly string[]): boolean =>
  name !== undefined && !name.startsWith('-') && !COMMANDS.some((entry) => isNamed(entry, name));

/** Runs one command line and returns the exit code. */
export async function main(args: readonly string[], environment: Environment): Promise<number> {
  try {
    const program = await createProgram(environment, VERSION, namedIn(args));
    if (args.length === 0) throw new UsageError('which command?', { cure: 'Try granary --help.' });
    // The help of a misspelled command would be the general one, without a suggestion.
    await program.parseAsync(isMisspelled(args) ? args.slice(0, 1) : [...args], { from: 'user' });
    return EXIT.done;
  } catch (failure) {
    if (failure instanceof CommanderError && failure.exitCode === 0) return EXIT.done;
    return report(
      failure instanceof CommanderError ? usageErrorOf(failure, args) : failure,
      args,
      environment,
    );
  }
}

function report(failure: unknown, args: readonly string[], { env, printError }: Environment): number {
  const explanation = explain(failure);
  const { exitCode, message, code, details, cure, requestId } = explanation;
  if (args.includes(JSON_OPTION)) {
    printError(
      JSON.stringify({ error: { message, code, details, cure, request_id: requestId, exit_code: exitCode } }),
    );
  } else if (env['GRANARY_LOG_LEVEL'] === 'debug' && failure instanceof Error) {
    printError(`granary: ${failure.stack}`);
  } else {
    for (const line of explanationLines(explanation)) printError(line);
  }
  return exitCode;
}

/** The sentence of commander without its prefix; its suggestion for a misspelled word is on a line of its own. */
function usageErrorOf(failure: CommanderError, [name]: readonly string[]): UsageError {
  const { code, message } = failure;
  const isCommandKnown = name !== undefined && !name.startsWith('-') && code !== 'commander.unknownCommand';
  const help = `Try granary ${isCommandKnown ? `${name} ` : ''}--help.`;
  if (code === 'commander.help')
    return new UsageError(`${name}: which action?`, { cure: help, cause: failure });
  const [sentence = '', ...suggestions] = message.replace(/^error: /, '').split('\n');
  return new UsageError([sentence.replace(/\.$/, ''), ...suggestions].join(' '), {
    cure: help,
    cause: failure,
  });
}
