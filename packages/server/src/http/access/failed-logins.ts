import { BoundedMap } from '@granary/common/bounded-map';
import { backoffMs } from '@granary/common/patience';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Logger } from '../../process/logging/logger.ts';

/** Some failures are normal: a person may mistype a key, or a program may be restarted with an old one. */
const FREE_FAILURES = 10;
const WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };
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
  readonly #failuresOf = new BoundedMap<string, Failures>(ADDRESSES_MAX);
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
    // A clock that was set back also makes the failures forgotten.
    const isForgotten = before === undefined || Math.abs(nowMs - before.lastAtMs) > FORGOTTEN_AFTER_MS;
    const count = isForgotten ? 1 : before.count + 1;
    this.#total++;
    this.#failuresOf.set(address, { count, lastAtMs: nowMs });
    if (isWorthALine(count)) {
      const context = { address, failures: count, failures_in_total: this.#total };
      this.#logger.warn(context, 'a request was refused because its API key is not valid');
    }
    return backoffMs(count - FREE_FAILURES, WAITS);
  }
}

/** Logs the first failure, and then each time the number has doubled. */
const isWorthALine = (count: number): boolean => (count & (count - 1)) === 0;
