/** What a device must begin at most once: an operation or a mission. */
interface Request {
  readonly deviceId: string;
  jobId: string | null;
}

export interface StartCounts {
  readonly accepted: number;
  /** Those that a device began. */
  readonly begun: number;
  /** Begun a second time, begun for a request that had begun another one, or begun although nobody asked for it. */
  readonly duplicated: number;
}

/**
 * Compares the starts that callers asked for with those that arrived at devices. A request is repeated with its idempotency key,
 * also through other nodes, until it is answered, so each may begin one job.
 */
export class StartLedger {
  readonly #requests = new Map<string, Request>();
  readonly #received = new Map<string, { readonly deviceId: string; count: number }>();

  requested(key: string, deviceId: string): void {
    this.#requests.set(key, { deviceId, jobId: null });
  }

  /** Returns false when the same key was answered with another job before. */
  accepted(key: string, jobId: string): boolean {
    const request = this.#requests.get(key);
    if (request === undefined) throw new Error(`nobody asked with the key ${key}`);
    const isSame = request.jobId === null || request.jobId === jobId;
    request.jobId ??= jobId;
    return isSame;
  }

  /** The service has refused it for good, so it begins nothing. */
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
    /** Requests without an answer: each may have begun one job that nobody knows. */
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
