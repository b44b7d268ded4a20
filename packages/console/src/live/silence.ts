/** The service sends a heartbeat every 3 s, so two are missed by then. */
export const SILENCE_TOLD_MS = 8_000;

/** A connection on which nothing arrives for this time is given up, and the page is not live. */
export const SILENCE_MS_MAX = 15_000;

/** What has arrived at a page in the background, or on a machine that slept, may wait behind its timer. */
const LOOKS_MIN = 4;

/** When something arrived last, and whether that is so long ago that a person has to know it. */
export class Hearing {
  #heardAtMs: number;
  /** How often the page has looked since then. */
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

  /** Called once a second. For how long there was silence; `null` where that is not worth a word, or not certain. */
  silenceAt(nowMs: number): number | null {
    this.#looks++;
    const silenceMs = nowMs - this.#heardAtMs;
    return silenceMs >= SILENCE_TOLD_MS && this.#looks >= LOOKS_MIN ? silenceMs : null;
  }
}
