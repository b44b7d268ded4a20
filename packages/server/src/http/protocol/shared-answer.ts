/** An answer that is the same for all callers, made at most once in a short time, also while many ask for it. */
export class SharedAnswer<T> {
  readonly #make: () => Promise<T>;
  readonly #keptMs: number;
  readonly #nowMs: () => number;
  #last: { readonly answer: Promise<T>; readonly atMs: number } | null = null;

  constructor(make: () => Promise<T>, keptMs: number, nowMs: () => number = () => performance.now()) {
    this.#make = make;
    this.#keptMs = keptMs;
    this.#nowMs = nowMs;
  }

  get(): Promise<T> {
    const nowMs = this.#nowMs();
    if (this.#last !== null && nowMs - this.#last.atMs < this.#keptMs) return this.#last.answer;
    const answer = this.#make();
    this.#last = { answer, atMs: nowMs };
    // A failure is the answer of those who asked, and not of the next ones.
    answer.catch(() => {
      if (this.#last?.answer === answer) this.#last = null;
    });
    return answer;
  }
}
