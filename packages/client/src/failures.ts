import type { ValidationIssue } from '@granary/contract/input/schema';

interface ApiErrorFields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: readonly ValidationIssue[] | undefined;
  readonly requestId?: string | undefined;
}

/** The service refused the request; `code` is stable, so programs can branch on it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly ValidationIssue[];
  readonly requestId: string | undefined;

  constructor({ status, code, message, details = [], requestId }: ApiErrorFields, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

/** There was no answer: the service is down, at another address, or too slow. */
export class UnreachableError extends Error {
  constructor(baseUrl: string, options: ErrorOptions) {
    super(`cannot reach ${baseUrl}: ${reasonOf(options.cause)}`, options);
    this.name = 'UnreachableError';
  }
}

/** `fetch` reports only "fetch failed"; the real error is in its cause, which may be a list of attempts. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  if (!(cause instanceof Error)) return failure.message;
  if (cause.message !== '') return cause.message;
  return 'code' in cause ? String(cause.code) : failure.message;
}
