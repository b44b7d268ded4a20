export interface StreamCounts {
  readonly seen: number;
  readonly missing: number;
  readonly duplicated: number;
}

/** The numbers of the events that one stream has delivered. */
export class StreamLedger {
  readonly fromSequence: number;
  readonly #seen = new Set<number>();
  #duplicated = 0;
  #resets = 0;

  constructor(fromSequence: number) {
    this.fromSequence = fromSequence;
  }

  seen(sequence: number): void {
    if (this.#seen.has(sequence)) this.#duplicated += 1;
    this.#seen.add(sequence);
  }

  /** The service could not continue where the reader was, which counts as a missing event. */
  reset(): void {
    this.#resets += 1;
  }

  /** `log`: the numbers of all events in the database. */
  compared(log: readonly number[]): StreamCounts {
    const missing = log.filter((sequence) => sequence > this.fromSequence && !this.#seen.has(sequence));
    return { seen: this.#seen.size, missing: missing.length + this.#resets, duplicated: this.#duplicated };
  }
}
