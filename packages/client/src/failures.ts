import type { ErrorCode } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';

/** The known codes, `unexpected_answer` for an answer that no Granary service gives, and any code of a newer service. */
export type KnownOrNewerCode = ErrorCode | 'unexpected_answer' | (string & Record<never, never>);

interface ApiErrorFields {
  readonly status: number;
  readonly code: KnownOrNewerCode;
  readonly message: string;
  readonly messageCode?: string | undefined;
  readonly messageValues?: Readonly<Record<string, unknown>> | undefined;
  readonly details?: readonly ValidationIssue[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The service refused the request; `code` is stable, so programs can branch on it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: KnownOrNewerCode;
  /** The message as a code with values, if it says more than `code`; see `docs/sentences.md`. */
  readonly messageCode: string | undefined;
  readonly messageValues: Readonly<Record<string, unknown>> | undefined;
  readonly details: readonly ValidationIssue[];
  readonly requestId: string | undefined;
  /** The time after which the service asks to try again, if it names one. */
  readonly retryAfterMs: number | undefined;
  /** True if an earlier attempt of the same call got no answer, so the change may have been made. */
  readonly mayBeDone: boolean;

  constructor(fields: ApiErrorFields, options: ErrorOptions & { readonly mayBeDone?: boolean } = {}) {
    const {
      status,
      code,
      message,
      messageCode,
      messageValues,
      details = [],
      requestId,
      retryAfterMs,
    } = fields;
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.messageCode = messageCode;
    this.messageValues = messageValues;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.mayBeDone = options.mayBeDone ?? false;
  }

  /** Returns the same refusal for a repetition, if an earlier attempt got no answer. */
  afterUnanswered(cause: UnreachableError): ApiError {
    const message = `${this.message}; an earlier attempt got no answer and may have been carried out`;
    return new ApiError({ ...this, message }, { cause, mayBeDone: true });
  }
}

/** There was no answer: the service is down, at another address, or too slow. */
export class UnreachableError extends Error {
  /** True if the request may have been carried out; false for a call that only reads. */
  readonly mayBeDone: boolean;
  /** If the request is sent again with this key, it is carried out at most once. */
  readonly idempotencyKey: string | undefined;
  readonly #baseUrl: string;

  constructor(
    baseUrl: string,
    options: ErrorOptions & { readonly mayBeDone?: boolean; readonly idempotencyKey?: string | undefined },
  ) {
    super(`cannot reach ${baseUrl}: ${reasonOf(options.cause)}`, options);
    this.name = 'UnreachableError';
    this.mayBeDone = options.mayBeDone ?? false;
    this.idempotencyKey = options.idempotencyKey;
    this.#baseUrl = baseUrl;
  }

  /** Returns the same failure for a request that changes something. */
  ofChange(mayBeDone: boolean, idempotencyKey: string | undefined): UnreachableError {
    return new UnreachableError(this.#baseUrl, { cause: this.cause, mayBeDone, idempotencyKey });
  }

  /** True if there was no connection, so the request cannot have arrived; in a browser this is not known. */
  get isCertainlyUnsent(): boolean {
    const { cause } = this;
    const reason = cause instanceof Error ? cause.cause : undefined;
    return reason instanceof Error && 'code' in reason && UNCONNECTED.has(String(reason.code));
  }
}

const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** `fetch` reports only "fetch failed"; the real error is in its cause, which may be a list of attempts. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  if (!(cause instanceof Error)) return failure.message;
  if (cause.message !== '') return cause.message;
  return 'code' in cause ? String(cause.code) : failure.message;
}
