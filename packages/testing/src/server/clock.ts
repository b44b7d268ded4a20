/** A clock that a test can put forward, for a service in the process of the tests: `{ now: clock.now }` in its parts. */
export class TestClock {
  #aheadMs = 0;
  #heldAtMs: number | null = null;

  readonly now = (): number => (this.#heldAtMs ?? Date.now()) + this.#aheadMs;

  /** Stops the clock until `release`, for tests about waits, because on a busy machine requests take any time. */
  hold(): void {
    this.#heldAtMs ??= Date.now();
  }

  release(): void {
    this.#heldAtMs = null;
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Resets the clock after a suite, because the same suite runs on another database. */
  reset(): void {
    this.#aheadMs = 0;
    this.release();
  }
}
