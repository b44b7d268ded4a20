/** A clock that a test can put forward, for a service in the process of the tests: `{ now: clock.now }` in its parts. */
export class TestClock {
  #aheadMs = 0;

  readonly now = (): number => Date.now() + this.#aheadMs;

  pass(ms: number): void {
    this.#aheadMs += ms;
  }

  /** After a suite, because the same one runs on another database. */
  reset(): void {
    this.#aheadMs = 0;
  }
}
