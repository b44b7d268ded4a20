import { ERROR_CURES } from '@granary/contract/error-texts';

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
  /** A person was asked and said no, or nobody could be asked. */
  declined: 5,
  /** The command was ended with Ctrl+C. */
  interrupted: 130,
} as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface FailureOptions extends ErrorOptions {
  readonly exitCode: ExitCode;
  /** What a person can do about the failure. */
  readonly cure?: string | undefined;
}

/** The failure of a command: one sentence for a person, what to do about it, and the exit code. */
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

/** What to do about a refusal at the command line, if that differs from what a program does. */
const CURES: Readonly<Record<string, string>> = {
  unauthorized:
    'The key is unknown, revoked or expired: `granary login` stores another one, GRANARY_API_KEY sets it for one command.',
  forbidden: 'Use a key with the scope that is named; `granary keys create` issues one.',
  invalid_input: 'Nothing was changed.',
  device_not_found: '`granary devices` lists the devices that the key may see.',
  alert_not_found: '`granary alerts --status all` lists all alerts.',
  key_not_found: '`granary keys list` lists the keys; the id is not the key itself.',
  webhook_not_found: '`granary webhooks list` lists them.',
  device_offline:
    'Wait until the device is connected again: `granary device show <id>` tells when it was last seen.',
  operation_in_progress: '`granary device show <id>` shows what runs, `granary stop <id>` stops it.',
  emergency_stop_active: 'Look at the device, then release it with `granary release <id>`.',
  rate_limited: 'Wait a moment and repeat the command.',
  storage_unavailable: 'The database does not answer: `granary doctor` on its machine says more.',
};

export interface Explanation {
  readonly message: string;
  /** The error code of the service. */
  readonly code?: string;
  readonly details: readonly string[];
  readonly cure?: string;
  readonly requestId?: string;
  readonly exitCode: ExitCode;
}

const LOWEST_SERVER_STATUS = 500;

/** The text about an error for a person, and its exit code. */
export function explain(failure: unknown): Explanation {
  if (!(failure instanceof Error)) return { message: String(failure), details: [], exitCode: EXIT.failed };
  if (failure instanceof CommandFailure) {
    const { message, cure, exitCode } = failure;
    return { message, details: [], ...(cure === undefined ? {} : { cure }), exitCode };
  }
  if (hasFaults(failure)) {
    return { message: 'these settings are not usable:', details: failure.faults, exitCode: EXIT.failed };
  }
  if (isRefusal(failure)) return explainRefusal(failure);
  if (failure.name === 'UnreachableError') {
    const cure =
      'Is the service running? `granary doctor` looks at it; --url or --context selects another one.';
    return { message: failure.message, details: [], cure, exitCode: EXIT.notReachable };
  }
  return { message: failure.message, details: [], exitCode: EXIT.failed };
}

export function explanationLines({ message, code, details, cure }: Explanation): string[] {
  const headline = code === undefined ? message : `${message} (${code})`;
  return [
    `granary: ${headline}`,
    ...details.map((detail) => `  ${detail}`),
    ...(cure === undefined ? [] : [`  ${cure}`]),
  ];
}

/** The shape by which an `ApiError` of the client is recognised, so that `--help` does not load the client. */
interface RefusalLike extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];
  readonly requestId?: string;
}

const isRefusal = (failure: Error): failure is RefusalLike =>
  failure.name === 'ApiError' && 'status' in failure;

function explainRefusal({ message, status, code, details, requestId }: RefusalLike): Explanation {
  const cure = cureOf(code);
  return {
    message,
    code: `${status} ${code}`,
    details: details.map(({ path, message: text }) => `${path} ${text}`.trim()),
    ...(cure === undefined ? {} : { cure }),
    ...(requestId === undefined ? {} : { requestId }),
    exitCode: status < LOWEST_SERVER_STATUS ? EXIT.refused : EXIT.notReachable,
  };
}

/** Recognises a `SettingsError` by its shape, so that commands of a client do not load the server. */
function hasFaults(failure: Error): failure is Error & { readonly faults: readonly string[] } {
  return 'faults' in failure && Array.isArray(failure.faults);
}

const textOf = <Text>(texts: Readonly<Record<string, Text>>, code: string): Text | undefined =>
  Object.hasOwn(texts, code) ? texts[code] : undefined;

const cureOf = (code: string): string | undefined => textOf(CURES, code) ?? textOf(ERROR_CURES, code);
