/**
 * The times of an urgent request, counted from its arrival: a stop must be at the device within 250 ms and answered within
 * 500 ms, also while the storage does not answer.
 */
const STEPS = {
  /** Key and device are looked up for so long; then what was last known of them serves. */
  lookUpMs: 75,
  /** What is not stored by then is sent to the device all the same. */
  sendMs: 150,
  /** What is not stored by then is answered all the same, and stored later. */
  storeMs: 350,
  /** Nothing is waited for any longer. */
  answerMs: 400,
} as const;

export class UrgentDeadline {
  readonly #startedAtMs = performance.now();

  /** What is left of the time until a step must be over, at least 0. */
  left(step: keyof typeof STEPS): number {
    return Math.max(0, this.#startedAtMs + STEPS[step] - performance.now());
  }
}

export function deadlineOf({ deadline }: { readonly deadline: UrgentDeadline | null }): UrgentDeadline {
  if (deadline === null) throw new Error('the route of an urgent request is not declared urgent');
  return deadline;
}
