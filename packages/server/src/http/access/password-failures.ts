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
/** This many wrong passwords from one address, for all names together, cause no wait. */
const ADDRESS_FREE = 30;

/** The name for which a password is given, and the place from which it comes. */
export interface PasswordFrom {
  readonly login: string;
  /** The network in which the person has signed in before; empty for everywhere else, which counts as one place. */
  readonly place: string;
  /** The part of the place whose wrong passwords are counted together: the address in a known place, a network elsewhere. */
  readonly network: string;
  readonly address: string;
}

/** The stored counts of wrong passwords for the name, which survive a restart. */
export interface StoredTries {
  readonly network: NetworkTries | null;
  readonly place: PlaceTries | null;
}

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
}

/**
 * Tells how long a password must wait until it is checked. It is counted before the check, so that only a few of many at once are
 * checked. An attempt that came too early does not count, so that repeated attempts do not make the wait longer.
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

  /** The remaining wait of an attempt that was refused before; a further attempt then costs no query. */
  refusedMs(login: string, address: string): number {
    const found = this.#refused.get(`${login} ${address}`);
    if (found === undefined) return 0;
    const passedMs = this.#now() - found.atMs;
    // A clock that was set back ends the wait.
    return passedMs < 0 ? 0 : Math.max(0, found.waitMs - passedMs);
  }

  /** Counts the password and returns 0, or returns how long it has to wait. */
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

  /** Called when the password that was taken is right. */
  right(from: PasswordFrom): void {
    this.#save(from, withoutLastPassword(this.#tries(from, { network: null, place: null }, this.#now())));
    const ofAddress = this.#addresses.get(from.address);
    if (from.place !== '' || ofAddress === undefined) return;
    this.#addresses.set(from.address, { ...ofAddress, count: Math.max(0, ofAddress.count - 1) });
  }

  /** Called after a complete sign-in; returns whether there were failures to forget. */
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

  /** A clock that was set back also makes the failures forgotten. */
  #ofAddress(address: string, nowMs: number): Failures {
    const found = this.#addresses.get(address);
    const isForgotten = found === undefined || Math.abs(nowMs - found.lastAtMs) > FORGOTTEN_AFTER_MS;
    return isForgotten ? { count: 0, lastAtMs: nowMs } : found;
  }
}
