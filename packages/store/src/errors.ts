import { Refusal } from '@granary/contract/errors';

/** The store cannot be opened; the message is one line that tells an operator what to do. */
export class StoreOpenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreOpenError';
  }
}

/** A backup or a restore failed; the message is one line that tells an operator why. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

interface MoveErrorOptions extends ErrorOptions {
  /** The action with which a person can solve the problem. */
  readonly cure?: string;
  readonly kind?: MoveErrorKind;
}

/** `unreachable` means that the database does not answer. */
export type MoveErrorKind = 'failed' | 'unreachable' | 'interrupted';

/** The move of an embedded store to PostgreSQL was refused or failed; the message is one line that tells an operator why. */
export class MoveError extends Error {
  readonly cure: string | undefined;
  readonly kind: MoveErrorKind;

  constructor(message: string, { cure, kind = 'failed', ...options }: MoveErrorOptions = {}) {
    super(message, options);
    this.name = 'MoveError';
    this.cure = cure;
    this.kind = kind;
  }
}

export const storageFull = (): Refusal => new Refusal('storage_full', 'the storage is full');

/** The reason is for the log only, because it may contain the address of the database or a path. */
export const storageUnavailable = (reason: string, options?: ErrorOptions): Refusal =>
  unavailable('the storage is not available at the moment; nothing was changed', reason, options);

/** The answer to a commit is missing, so the change may have been made. */
export const outcomeUnknown = (reason: string, options?: ErrorOptions): Refusal =>
  unavailable(
    'the storage did not confirm in time: the change may have been made or not; repeat the request with the same Idempotency-Key, or look first',
    reason,
    options,
  );

/** Makes the refusal. The log shows every cause, so an error that has the reason as its message is not wrapped in a second one. */
function unavailable(message: string, reason: string, options?: ErrorOptions): Refusal {
  const { cause } = options ?? {};
  const isReason = cause instanceof Error && cause.message === reason;
  return new Refusal('storage_unavailable', message, undefined, {
    cause: isReason ? cause : new Error(reason, options),
  });
}

/** The storage is not available now, which is not the fault of the caller or of the message. */
export const isStorageFault = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.code === 'storage_unavailable' || error.code === 'storage_full');

/** The code of an error of the operating system or of an engine. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a folder',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
};

/** The reason of an error of the file system in words; `undefined` for other errors. */
export function fileFault(error: unknown): string | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : FILE_FAULTS[code];
}
