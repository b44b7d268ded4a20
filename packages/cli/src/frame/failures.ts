import { EXIT, type ExitCode } from './exit-codes.ts';

interface FailureOptions extends ErrorOptions {
  readonly exitCode: ExitCode;
  /** What a person can do about it. */
  readonly cure?: string | undefined;
}

/** A command ends with one sentence for a person, what to do about it, and its exit code. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;
  readonly cure: string | undefined;

  constructor(message: string, { exitCode, cure, ...options }: FailureOptions) {
    super(message, options);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.cure = cure;
  }
}

/** The command line is wrong: nothing was sent. */
export class UsageError extends CommandFailure {
  constructor(message: string, options: Omit<FailureOptions, 'exitCode'> = {}) {
    super(message, { ...options, exitCode: EXIT.usage });
    this.name = 'UsageError';
  }
}
