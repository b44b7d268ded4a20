import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The environment variables and the output that a command uses; tests pass their own. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
  /** Replaces the line of progress; only on a terminal. */
  readonly showProgress?: (text: string) => void;
}

/** Each file in `commands/` exports one of these; `run` resolves with the exit code. */
export interface Command {
  readonly help: string;
  run(args: readonly string[], environment: Environment): Promise<number>;
}

/** The command line is wrong: the command prints one line and exits with code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** `parseArgs`, with its errors turned into a `UsageError` of one sentence. */
export function parseOptions<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    const [sentence] = cause instanceof Error ? cause.message.split(/\.\s/) : [];
    throw new UsageError(sentence ?? 'the options are not usable', { cause });
  }
}

export function required(value: string | undefined, option: string, hint = ''): string {
  if (value === undefined || value === '') {
    throw new UsageError(`${option} is missing${hint === '' ? '' : `; ${hint}`}`);
  }
  return value;
}

export function positiveNumber(text: string, option: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new UsageError(`${option} must be a number above 0, not "${text}"`);
  }
  return value;
}

export function address(text: string, option: string, protocols: readonly string[]): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocols.includes(protocol)) return text;
  throw new UsageError(`${option} must be an address such as ${protocols[0]}//127.0.0.1, not "${text}"`);
}
