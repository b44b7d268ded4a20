import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';

/** Without a successful evaluation for this long the service counts as interrupted; the reconciler evaluates far more often. */
const GAP_MS = 5 * SECOND_MS;
const SHARED_EVERY_MS = SECOND_MS;

interface UptimeParts {
  readonly app: { readonly alerts: Pick<App['alerts'], 'beginObservation' | 'continueObservation'> };
  readonly now: () => number;
  /**
   * Whether this node hears devices that other nodes can hear, too; `null` where devices connect to this node itself, so that it is
   * alone, and they need time to connect again after its start.
   */
  readonly isReceiving: (() => boolean) | null;
}

/**
 * Tracks since when the service has been running without interruption. It starts again after a start, a storage outage or a
 * suspended process, so that silence in between is not attributed to devices. Of several nodes one is enough.
 */
export class Uptime {
  readonly #parts: UptimeParts;
  #observedUntilMs = Number.NEGATIVE_INFINITY;
  #sharedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: UptimeParts) {
    this.#parts = parts;
  }

  /** Wraps every evaluation, because only a successful one proves that the service was running. */
  async during<Result>(evaluation: (nowMs: number) => Promise<Result>): Promise<Result> {
    const nowMs = this.#parts.now();
    const { isReceiving } = this.#parts;
    if (isReceiving !== null) await this.#share(nowMs, isReceiving());
    else if (nowMs - this.#observedUntilMs > GAP_MS) await this.begin();
    const result = await evaluation(nowMs);
    this.#observedUntilMs = Math.max(this.#observedUntilMs, nowMs);
    return result;
  }

  async begin(): Promise<void> {
    const { app, now, isReceiving } = this.#parts;
    const nowMs = now();
    if (isReceiving === null) await app.alerts.beginObservation(nowMs);
    else await this.#share(nowMs, false);
    this.#observedUntilMs = nowMs;
  }

  async #share(nowMs: number, isReceiving: boolean): Promise<void> {
    if (Math.abs(nowMs - this.#sharedAtMs) < SHARED_EVERY_MS) return;
    await this.#parts.app.alerts.continueObservation({ nowMs, gapMs: GAP_MS, isReceiving });
    this.#sharedAtMs = nowMs;
  }
}
