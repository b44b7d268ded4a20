/** The exit codes of every command; scripts depend on them, so a number never changes its meaning. */
export const EXIT = {
  done: 0,
  /** The command could not do its work, or what it started did not end as wanted. */
  failed: 1,
  /** The command line is wrong; nothing was sent. */
  usage: 2,
  /** The service answered that it will not do this (HTTP status 4xx). */
  refused: 3,
  /** The service did not answer, or could not serve the request now (HTTP status 5xx). */
  notReachable: 4,
  /** A person was asked and said no, or there was nobody to ask. */
  declined: 5,
  /** Ctrl+C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

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
