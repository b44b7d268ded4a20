import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';

/** Without a successful evaluation for this long the service counts as interrupted; the reconciler evaluates far more often. */
const GAP_MS = 5 * SECOND_MS;

/**
 * Tracks since when the service has been running without interruption. It starts again after a start, a storage outage or a
 * suspended process, so that silence in between is not attributed to devices.
 */
export class Uptime {
  readonly #app: App;
  readonly #now: () => number;
  #observedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(app: App, now: () => number) {
    this.#app = app;
    this.#now = now;
  }

  /** Wraps every evaluation, because only a successful one proves that the service was running. */
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
