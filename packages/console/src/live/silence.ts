/** The page shows a silence from this time on. The service sends a heartbeat every 3 s, so two are missing by then. */
export const SILENCE_TOLD_MS = 8_000;

/** A connection on which nothing arrives for this time is given up, and the page is not live. */
export const SILENCE_MS_MAX = 15_000;

/** The number of checks before a silence counts: in the background or after sleep, messages may wait behind the timer of the page. */
const LOOKS_MIN = 4;

/** The time at which something arrived last, and whether the silence since then has to be shown. */
export class Hearing {
  #heardAtMs: number;
  /** The number of checks since then. */
  #looks = 0;

  constructor(atMs: number) {
    this.#heardAtMs = atMs;
  }

  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  heard(atMs: number): void {
    this.#heardAtMs = atMs;
    this.#looks = 0;
  }

  /** Called once a second. Returns the length of the silence; `null` if it need not be shown, or is not certain. */
  silenceAt(nowMs: number): number | null {
    this.#looks++;
    const silenceMs = nowMs - this.#heardAtMs;
    return silenceMs >= SILENCE_TOLD_MS && this.#looks >= LOOKS_MIN ? silenceMs : null;
  }
}
