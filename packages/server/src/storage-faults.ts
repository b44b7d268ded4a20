import { Refusal } from '@granary/contract/errors';
import { LATE } from './within.ts';

/** The storage is full, cannot be reached or does not answer. */
export const isStorageFault = (error: unknown): boolean =>
  error instanceof Refusal && (error.code === 'storage_full' || error.code === 'storage_unavailable');

/** A storage that fails is like one that does not answer in time. */
export async function lateIfFailing<T>(work: Promise<T | typeof LATE>): Promise<T | typeof LATE> {
  try {
    return await work;
  } catch (error) {
    if (isStorageFault(error)) return LATE;
    throw error;
  }
}
