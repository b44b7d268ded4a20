import { LATE } from '@granary/common/within';
import { isStorageFault } from '@granary/store/errors';

/** Treats a failing storage like one that does not answer in time. */
export async function lateIfFailing<T>(work: Promise<T | typeof LATE>): Promise<T | typeof LATE> {
  try {
    return await work;
  } catch (error) {
    if (isStorageFault(error)) return LATE;
    throw error;
  }
}
