import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';

/** A time in which no evaluation succeeded, and which the reconciler's rounds would have ended long before. */
const GAP_MS = 5 * SECOND_MS;

/**
 * Knows since when the service has been listening. After a start, a storage outage or a suspended process it begins
 * anew, so that what could not be noticed in between is not blamed on devices.
 */
export class Observation {
  readonly #app: App;
  readonly #now: () => number;
  #observedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(app: App, now: () => number) {
    this.#app = app;
    this.#now = now;
  }

  /** Every evaluation goes through here. Only one that succeeds shows that the service was listening. */
  async during<Result>(evaluation: (nowMs: number) => Promise<Result>): Promise<Result> {
    const nowMs = this.#now();
    if (nowMs - this.#observedUntilMs > GAP_MS) await this.begin();
    const result = await evaluation(nowMs);
    this.#observedUntilMs = Math.max(this.#observedUntilMs, nowMs);
    return result;
  }

  async begin(): Promise<void> {
    const nowMs = this.#now();
    await this.#app.alerts.beginObservation(nowMs);
    this.#observedUntilMs = nowMs;
  }
}
