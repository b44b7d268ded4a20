/** One reading of a device; a device never sends two readings with the same time. */
export interface SentReading {
  readonly deviceId: string;
  readonly tsMs: number;
}

const nameOf = ({ deviceId, tsMs }: SentReading): string => `${deviceId} ${tsMs}`;

/** The readings that the broker has acknowledged and that were not found in the database yet. */
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

  /** The missing readings that were acknowledged before this time. */
  missing(beforeMs = Number.POSITIVE_INFINITY): SentReading[] {
    return [...this.#pending.values()].filter(({ atMs }) => atMs < beforeMs).map(({ reading }) => reading);
  }
}

/** A request for an operation or a mission, which a device must begin at most once. */
interface Request {
  readonly deviceId: string;
  jobId: string | null;
}

export interface StartCounts {
  readonly accepted: number;
  /** The number of jobs that a device began. */
  readonly begun: number;
  /** The number of jobs that were begun twice, begun as a second job of one request, or begun without a request. */
  readonly duplicated: number;
}

/**
 * Compares the starts that callers requested with the starts that arrived at devices. A request is repeated with its
 * idempotency key, also through other nodes, until it is answered, so each request may begin one job.
 */
export class StartLedger {
  readonly #requests = new Map<string, Request>();
  readonly #received = new Map<string, { readonly deviceId: string; count: number }>();

  requested(key: string, deviceId: string): void {
    this.#requests.set(key, { deviceId, jobId: null });
  }

  /** Returns false if the same key was answered with another job before. */
  accepted(key: string, jobId: string): boolean {
    const request = this.#requests.get(key);
    if (request === undefined) throw new Error(`nobody asked with the key ${key}`);
    const isSame = request.jobId === null || request.jobId === jobId;
    request.jobId ??= jobId;
    return isSame;
  }

  /** The service has refused the request finally, so it begins nothing. */
  refused(key: string): void {
    this.#requests.delete(key);
  }

  received(deviceId: string, jobId: string): void {
    const known = this.#received.get(jobId) ?? { deviceId, count: 0 };
    known.count += 1;
    this.#received.set(jobId, known);
  }

  timesReceived(jobId: string): number {
    return this.#received.get(jobId)?.count ?? 0;
  }

  counts(): StartCounts {
    const accepted = new Set<string>();
    /** The requests without an answer: each may have begun one job whose id nobody knows. */
    const open = new Map<string, number>();
    for (const { deviceId, jobId } of this.#requests.values()) {
      if (jobId === null) open.set(deviceId, (open.get(deviceId) ?? 0) + 1);
      else accepted.add(jobId);
    }
    let duplicated = 0;
    for (const [jobId, { deviceId, count }] of this.#received) {
      duplicated += count - 1;
      if (accepted.has(jobId)) continue;
      const left = open.get(deviceId) ?? 0;
      if (left > 0) open.set(deviceId, left - 1);
      else duplicated += 1;
    }
    return { accepted: accepted.size, begun: this.#received.size, duplicated };
  }
}

export interface AlertCounts {
  readonly expected: number;
  readonly raised: number;
  readonly duplicated: number;
  readonly missing: number;
}

/** Compares how often each silo fell below its threshold with the alerts that were raised about it. */
export class AlertLedger {
  readonly #expected = new Map<string, number>();

  expected(deviceId: string): void {
    this.#expected.set(deviceId, (this.#expected.get(deviceId) ?? 0) + 1);
  }

  /** `raised` has one device id for each alert. */
  compared(raised: readonly string[]): AlertCounts {
    const counts = new Map<string, number>();
    for (const deviceId of raised) counts.set(deviceId, (counts.get(deviceId) ?? 0) + 1);
    let duplicated = 0;
    let missing = 0;
    for (const deviceId of new Set([...counts.keys(), ...this.#expected.keys()])) {
      const difference = (counts.get(deviceId) ?? 0) - (this.#expected.get(deviceId) ?? 0);
      duplicated += Math.max(0, difference);
      missing += Math.max(0, -difference);
    }
    const expected = [...this.#expected.values()].reduce((sum, count) => sum + count, 0);
    return { expected, raised: raised.length, duplicated, missing };
  }
}

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

  /** Counts a gap: the service could not continue at the position of the reader, which counts as a missing event. */
  reset(): void {
    this.#resets += 1;
  }

  /** `log` has the numbers of all events in the database. */
  compared(log: readonly number[]): StreamCounts {
    const missing = log.filter((sequence) => sequence > this.fromSequence && !this.#seen.has(sequence));
    return { seen: this.#seen.size, missing: missing.length + this.#resets, duplicated: this.#duplicated };
  }
}
