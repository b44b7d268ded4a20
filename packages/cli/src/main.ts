import { CommanderError } from 'commander';
import type { Environment } from './frame/environment.ts';
import { explain, explanationLines } from './frame/explain.ts';
import { EXIT, UsageError } from './frame/failures.ts';
import { JSON_OPTION } from './frame/options.ts';
import { createProgram, isMisspelled, namedIn } from './program.ts';
import { VERSION } from './version.ts';

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

/** The sentence without its prefix; commander puts a suggestion for a misspelled word on a line of its own. */
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
