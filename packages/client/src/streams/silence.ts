/** Aborts a connection on which nothing has arrived for a while, because a dead one may never report its end. */
export class SilenceLimit {
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #limitMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limitMs: number, cancelled: AbortSignal | undefined) {
    this.#limitMs = limitMs;
    this.signal =
      cancelled === undefined ? this.#abort.signal : AbortSignal.any([cancelled, this.#abort.signal]);
  }

  /** Something has arrived, or the wait begins. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(new Error(this.#message())), this.#limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #message(): string {
    return `nothing arrived for ${this.#limitMs / 1_000} s, not even a heartbeat; a proxy may hold the stream back`;
  }
}
