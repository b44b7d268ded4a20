import { isStorageFault } from '@granary/store/errors';
import { LATE } from '@granary/store/within';

/** Treats a failing storage like one that does not answer in time. */
export async function lateIfFailing<T>(work: Promise<T | typeof LATE>): Promise<T | typeof LATE> {
  try {
    return await work;
  } catch (error) {
    if (isStorageFault(error)) return LATE;
    throw error;
  }
}
