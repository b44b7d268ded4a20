import { LATE } from '@granary/common/within';
import { isStorageFault } from '@granary/store/errors';

/**
 * The times of an urgent request, counted from its arrival: a stop must be at the device within 250 ms and answered within
 * 500 ms, also while the storage does not answer.
 */
const STEPS = {
  /** The time to look up key and device; after it the last known ones are used. */
  lookUpMs: 25,
  /** After this time the stop is sent to the device although it is not stored; with little other work the storage needs less. */
  sendMs: 5,
  /** After this time the request is answered although the stop is not stored; it is stored later. */
  storeMs: 350,
  /** After this time the request waits for nothing. */
  answerMs: 400,
} as const;

export class UrgentDeadline {
  readonly #startedAtMs = performance.now();

  /** The remaining time until the end of a step, at least 0. */
  left(step: keyof typeof STEPS): number {
    return Math.max(0, this.#startedAtMs + STEPS[step] - performance.now());
  }
}

export function deadlineOf({ deadline }: { readonly deadline: UrgentDeadline | null }): UrgentDeadline {
  if (deadline === null) throw new Error('the route of an urgent request is not declared urgent');
  return deadline;
}

/** Treats a failing storage like one that does not answer in time. */
export async function lateIfFailing<T>(work: Promise<T | typeof LATE>): Promise<T | typeof LATE> {
  try {
    return await work;
  } catch (error) {
    if (isStorageFault(error)) return LATE;
    throw error;
  }
}
