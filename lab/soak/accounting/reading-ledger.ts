/** One reading of a device; it never sends two of the same time. */
export interface SentReading {
  readonly deviceId: string;
  readonly tsMs: number;
}

const nameOf = ({ deviceId, tsMs }: SentReading): string => `${deviceId} ${tsMs}`;

/** Which of the readings that the broker has acknowledged are not found in the database yet. */
export class ReadingLedger {
  readonly #pending = new Map<string, { readonly reading: SentReading; readonly atMs: number }>();
  #acknowledged = 0;

  get acknowledgedCount(): number {
    return this.#acknowledged;
  }

  acknowledged(reading: SentReading, atMs: number): void {
    this.#acknowledged += 1;
    this.#pending.set(nameOf(reading), { reading, atMs });
  }

  stored(reading: SentReading): void {
    this.#pending.delete(nameOf(reading));
  }

  /** Those acknowledged before the time. */
  missing(beforeMs = Number.POSITIVE_INFINITY): SentReading[] {
    return [...this.#pending.values()].filter(({ atMs }) => atMs < beforeMs).map(({ reading }) => reading);
  }
}
