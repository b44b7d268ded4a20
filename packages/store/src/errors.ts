import { Refusal } from '@granary/contract/errors';

/** The store cannot be opened. The message is one line that tells an operator what to do about it. */
export class StoreOpenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreOpenError';
  }
}

export const storageFull = (): Refusal => new Refusal('storage_full', 'the storage is full');

export const storageUnavailable = (why: string): Refusal =>
  new Refusal('storage_unavailable', `the storage is not available: ${why}`);

/** Tells errors of the system and of the engines apart; both put a text there. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
