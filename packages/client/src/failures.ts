import type { ValidationIssue } from '@granary/contract/input/schema';

interface ApiErrorFields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: readonly ValidationIssue[] | undefined;
  readonly requestId?: string | undefined;
}

/** The service said no. `code` is stable: programs branch on it. */
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

/** Nobody answered: the service is down, elsewhere, or too slow. */
export class UnreachableError extends Error {
  constructor(baseUrl: string, options: ErrorOptions) {
    super(`cannot reach ${baseUrl}: ${reasonOf(options.cause)}`, options);
    this.name = 'UnreachableError';
  }
}

/** `fetch` says only "fetch failed" and hides what happened in a cause, which may itself be a list of attempts. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { cause } = failure;
  if (!(cause instanceof Error)) return failure.message;
  if (cause.message !== '') return cause.message;
  return 'code' in cause ? String(cause.code) : failure.message;
}
