import { BoundedMap } from '@granary/common/bounded-map';
import { backoffMs } from '@granary/common/patience';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';

const WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };
const FORGOTTEN_AFTER_MS = 15 * MINUTE_MS;
const COUNTED_MAX = 10_000;
/** Wrong passwords without a wait: of a person from one address, of a person from everywhere, and of an address. */
const FREE = { pair: 5, login: 20, address: 30 };

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
}

/**
 * How long a password must wait to be looked at. Whoever has signed in from an address before does not wait there for the
 * failures of others; an attempt that came too early does not count, so that nobody can be kept out by asking again and again.
 */
export class PasswordFailures {
  readonly #now: () => number;
  readonly #failures = new BoundedMap<string, Failures>(COUNTED_MAX);
  readonly #known = new BoundedMap<string, true>(COUNTED_MAX);

  constructor(now: () => number) {
    this.#now = now;
  }

  waitMs(login: string, address: string): number {
    const nowMs = this.#now();
    return Math.max(
      0,
      ...this.#counted(login, address).map(([name, free]) => {
        const { count, lastAtMs } = this.#of(name, nowMs);
        return lastAtMs + backoffMs(count - free, WAITS) - nowMs;
      }),
    );
  }

  failed(login: string, address: string): void {
    const nowMs = this.#now();
    for (const [name] of this.#counted(login, address)) {
      this.#failures.set(name, { count: this.#of(name, nowMs).count + 1, lastAtMs: nowMs });
    }
  }

  succeeded(login: string, address: string): void {
    const pair = pairOf(login, address);
    this.#failures.delete(pair);
    this.#known.set(pair, true);
  }

  /** A clock that was set back forgets, too. */
  #of(name: string, nowMs: number): Failures {
    const found = this.#failures.get(name);
    const isForgotten = found === undefined || Math.abs(nowMs - found.lastAtMs) > FORGOTTEN_AFTER_MS;
    return isForgotten ? { count: 0, lastAtMs: nowMs } : found;
  }

  #counted(login: string, address: string): readonly (readonly [name: string, free: number])[] {
    const pair = pairOf(login, address);
    if (this.#known.get(pair)) return [[pair, FREE.pair]];
    return [
      [pair, FREE.pair],
      [`login ${login}`, FREE.login],
      [`address ${address}`, FREE.address],
    ];
  }
}

const pairOf = (login: string, address: string): string => `pair ${login} ${address}`;
