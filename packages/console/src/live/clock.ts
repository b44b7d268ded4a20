import { signal } from '@preact/signals';

const TICK_MS = 1_000;

/** The time of the service, because the clock of the viewer's machine may be wrong. It ticks once a second. */
export class Clock {
  readonly nowMs = signal(Date.now());
  #aheadMs: number | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** A time that the service has just told. Of several the latest is nearest, because each was delayed by the network. */
  observe(timestamp: string): void {
    const aheadMs = Date.parse(timestamp) - Date.now();
    if (this.#aheadMs !== null && Math.abs(aheadMs - this.#aheadMs) < TICK_MS) {
      this.#aheadMs = Math.max(this.#aheadMs, aheadMs);
      return;
    }
    this.#aheadMs = aheadMs;
    this.#tick();
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.nowMs.value = Date.now() + (this.#aheadMs ?? 0);
  }
}
