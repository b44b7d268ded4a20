import { StoreOpenError } from '@granary/store/errors';
import { CertificateFault } from './tls/certificate-files.ts';

/** The service could not start for a reason that a person can correct; the message is one line and says what to do. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

const EXPLANATIONS: Record<string, string> = {
  EADDRINUSE: 'that port is in use already; stop the other program or set another port',
  EADDRNOTAVAIL: 'that address does not belong to this machine',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'it is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'something else is in its place',
  ENOTSUP: 'this system cannot share a port between threads; set GRANARY_LINK_THREADS to 1',
  ENOTFOUND: 'that host name is not known',
};

/** Runs one step of the start, and turns an error of the operating system into one line about `subject`. */
export async function explainStart<T>(
  subject: string | ((error: unknown) => string),
  step: () => T | Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StoreOpenError || error instanceof CertificateFault)
      throw new StartError(error.message, { cause: error });
    const explanation =
      error instanceof Error && 'code' in error ? EXPLANATIONS[String(error.code)] : undefined;
    if (explanation === undefined) throw error;
    throw new StartError(`${typeof subject === 'string' ? subject : subject(error)}: ${explanation}`, {
      cause: error,
    });
  }
}
