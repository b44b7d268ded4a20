import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Logger } from '../../logging/logger.ts';

/** Some failures are normal: a person may mistype a key, or a program may be restarted with an old one. */
const FREE_FAILURES = 10;
const WAIT_MS_MIN = SECOND_MS;
const WAIT_MS_MAX = MINUTE_MS;
const FORGOTTEN_AFTER_MS = 15 * MINUTE_MS;
const ADDRESSES_MAX = 10_000;

interface Failures {
  count: number;
  lastAtMs: number;
}

/** Counts wrong API keys per address, for the log and for the wait that their senders are asked for. */
export class FailedLogins {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #failuresOf = new Map<string, Failures>();
  #total = 0;

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  get total(): number {
    return this.#total;
  }

  /** Returns how long the caller is asked to wait before it tries another key; 0 for no wait. The key itself is never logged. */
  record(address: string): number {
    const nowMs = this.#now();
    const before = this.#failuresOf.get(address);
    // A clock that was set back counts, too.
    const isForgotten = before === undefined || Math.abs(nowMs - before.lastAtMs) > FORGOTTEN_AFTER_MS;
    const count = isForgotten ? 1 : before.count + 1;
    this.#total++;
    // Removed and inserted again, so that the first entry has the oldest failure.
    this.#failuresOf.delete(address);
    if (this.#failuresOf.size >= ADDRESSES_MAX) this.#dropOldest();
    this.#failuresOf.set(address, { count, lastAtMs: nowMs });
    if (isWorthALine(count)) {
      const context = { address, failures: count, failures_in_total: this.#total };
      this.#logger.warn(context, 'a request was refused because its API key is not valid');
    }
    return waitAfter(count);
  }

  #dropOldest(): void {
    for (const oldest of this.#failuresOf.keys()) {
      this.#failuresOf.delete(oldest);
      return;
    }
  }
}

const waitAfter = (count: number): number =>
  count <= FREE_FAILURES
    ? 0
    : Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** Math.min(20, count - FREE_FAILURES - 1));

/** Logs the first failure, and then each time the number has doubled. */
const isWorthALine = (count: number): boolean => (count & (count - 1)) === 0;
