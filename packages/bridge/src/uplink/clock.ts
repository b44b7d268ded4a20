const DIFFERENCE_MS_MAX = 2_000;

/**
 * The time of readings. Until the service has told its own it is the clock of the machine; from then on it runs by itself, so that a
 * clock that is set, or that was wrong at the start, moves no reading to another time.
 */
export class BridgeClock {
  readonly #system: () => number;
  readonly #monotonic: () => number;
  readonly #onCorrection: (byMs: number) => void;
  #base: { readonly timeMs: number; readonly atMs: number } | null = null;

  constructor(
    onCorrection: (byMs: number) => void,
    system: () => number = Date.now,
    monotonic: () => number = () => performance.now(),
  ) {
    this.#onCorrection = onCorrection;
    this.#system = system;
    this.#monotonic = monotonic;
  }

  /** Whether the service has told its time since the start. */
  get isConfirmed(): boolean {
    return this.#base !== null;
  }

  readonly now = (): number =>
    this.#base === null
      ? this.#system()
      : Math.round(this.#base.timeMs + this.#monotonic() - this.#base.atMs);

  /** What the service said its time was, between the request and its answer. */
  compare(serviceMs: number): void {
    const here = this.now();
    const byMs = serviceMs - here;
    const isOff = Math.abs(byMs) > DIFFERENCE_MS_MAX;
    if (this.#base === null || isOff)
      this.#base = { timeMs: isOff ? serviceMs : here, atMs: this.#monotonic() };
    if (isOff) this.#onCorrection(byMs);
  }
}
