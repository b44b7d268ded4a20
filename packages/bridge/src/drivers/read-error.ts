import type { FailureCode } from './driver.ts';

/** An answer that cannot be used. */
export class ReadError extends Error {
  readonly code: FailureCode;
  /** Nobody was asked, because there is no connection. */
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
