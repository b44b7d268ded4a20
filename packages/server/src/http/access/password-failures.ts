import { BoundedMap } from '@granary/common/bounded-map';
import { backoffMs } from '@granary/common/patience';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import {
  type NetworkTries,
  noPasswordTries,
  type PasswordTries,
  type PlaceTries,
  passwordTry,
  withoutLastPassword,
} from '@granary/core/guesses';

const WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };
const FORGOTTEN_AFTER_MS = 15 * MINUTE_MS;
const COUNTED_MAX = 10_000;
/** Wrong passwords of all names from an address without a wait. */
const ADDRESS_FREE = 30;

/** For whom a password is given, and from where. */
export interface PasswordFrom {
  readonly login: string;
  /** Where the person has signed in before; everywhere else is one place, which is empty. */
  readonly place: string;
  /** Of those in the place that wait for themselves. */
  readonly network: string;
  readonly address: string;
}

/** What was stored of wrong passwords of the name, which holds over a restart. */
export interface StoredTries {
  readonly network: NetworkTries | null;
  readonly place: PlaceTries | null;
}

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
}

/**
 * How long a password must wait to be looked at. It is counted before it is looked at, so that of many at once only a few are. An
 * attempt that came too early does not count, so that nobody is kept out longer by asking again and again.
 */
export class PasswordFailures {
  readonly #now: () => number;
  readonly #networks = new BoundedMap<string, NetworkTries>(COUNTED_MAX);
  readonly #places = new BoundedMap<string, PlaceTries>(COUNTED_MAX);
  readonly #addresses = new BoundedMap<string, Failures>(COUNTED_MAX);
  readonly #refused = new BoundedMap<string, { readonly atMs: number; readonly waitMs: number }>(COUNTED_MAX);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Of an attempt that was refused before, so that asking again costs nothing. */
  refusedMs(login: string, address: string): number {
    const found = this.#refused.get(`${login} ${address}`);
    if (found === undefined) return 0;
    const passedMs = this.#now() - found.atMs;
    // A clock that was set back forgets.
    return passedMs < 0 ? 0 : Math.max(0, found.waitMs - passedMs);
  }

  /** Counts the password where it need not wait. */
  take(from: PasswordFrom, stored: StoredTries): number {
    const nowMs = this.#now();
    const ofAddress = from.place === '' ? this.#ofAddress(from.address, nowMs) : undefined;
    const addressMs =
      ofAddress === undefined
        ? 0
        : ofAddress.lastAtMs + backoffMs(ofAddress.count - ADDRESS_FREE, WAITS) - nowMs;
    const { waitMs, tries } = passwordTry(this.#tries(from, stored, nowMs), nowMs);
    const longestMs = Math.max(0, addressMs, waitMs);
    if (longestMs > 0) {
      this.#refused.set(`${from.login} ${from.address}`, { atMs: nowMs, waitMs: longestMs });
      return longestMs;
    }
    this.#save(from, tries);
    if (ofAddress !== undefined) {
      this.#addresses.set(from.address, { count: ofAddress.count + 1, lastAtMs: nowMs });
    }
    return 0;
  }

  /** The password that was taken was right. */
  right(from: PasswordFrom): void {
    this.#save(from, withoutLastPassword(this.#tries(from, { network: null, place: null }, this.#now())));
    const ofAddress = this.#addresses.get(from.address);
    if (from.place !== '' || ofAddress === undefined) return;
    this.#addresses.set(from.address, { ...ofAddress, count: Math.max(0, ofAddress.count - 1) });
  }

  /** After a whole sign-in; returns whether there was anything to forget. */
  forget({ login, network }: PasswordFrom): boolean {
    const key = `${login} ${network}`;
    const { count = 0 } = this.#networks.get(key) ?? {};
    this.#networks.delete(key);
    return count > 0;
  }

  #tries({ login, place, network }: PasswordFrom, stored: StoredTries, nowMs: number): PasswordTries {
    const none = noPasswordTries(nowMs);
    const own = this.#networks.get(`${login} ${network}`);
    // Another node may have counted more.
    const isStoredMore = (stored.network?.count ?? 0) > (own?.count ?? 0);
    return {
      network: (isStoredMore ? stored.network : own) ?? none.network,
      place: this.#places.get(`${login} ${place}`) ?? stored.place ?? none.place,
    };
  }

  #save({ login, place, network }: PasswordFrom, tries: PasswordTries): void {
    this.#networks.set(`${login} ${network}`, tries.network);
    this.#places.set(`${login} ${place}`, tries.place);
  }

  /** A clock that was set back forgets, too. */
  #ofAddress(address: string, nowMs: number): Failures {
    const found = this.#addresses.get(address);
    const isForgotten = found === undefined || Math.abs(nowMs - found.lastAtMs) > FORGOTTEN_AFTER_MS;
    return isForgotten ? { count: 0, lastAtMs: nowMs } : found;
  }
}
