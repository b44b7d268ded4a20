import { cureOf } from './cures.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { CommandFailure } from './failures.ts';

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

/** What a person is told about an error, and the exit code. */
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

/** The shape of an `ApiError` of the client, which is recognised by it so that `--help` does not load the client. */
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
