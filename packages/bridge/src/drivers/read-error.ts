import type { FailureCode } from './driver.ts';

/** The error that an answer cannot be used. */
export class ReadError extends Error {
  readonly code: FailureCode;
  /** True if no request was sent, because there is no connection. */
  readonly isConnection: boolean;

  constructor(
    code: FailureCode,
    detail: string,
    { isConnection = false, ...options }: ErrorOptions & { readonly isConnection?: boolean } = {},
  ) {
    super(detail, options);
    this.name = 'ReadError';
    this.code = code;
    this.isConnection = isConnection;
  }
}
