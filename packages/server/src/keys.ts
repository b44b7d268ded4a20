import type { IssuedKey, NewKey } from '@granary/contract/keys';
import { checkedTimeMs } from '@granary/contract/time';
import { isAlive, isWellFormedKey } from '@granary/core/keys';
import { newId } from '@granary/store/ids';
import type { NewStoredKey, StoredKey } from '@granary/store/keys';
import { keyRecord } from '@granary/store/records';
import type { Store } from '@granary/store/store';
import { hashSecret, newKey } from './secrets.ts';

/** How long a key that was good is taken to be good: a revocation on any node works within a second. */
const TRUST_MS = 500;
const TRUSTED_KEYS_MAX = 10_000;
const USE_RECORDED_EVERY_MS = 60_000;

/** Whoever calls is known by the key alone. */
export type Caller = Pick<StoredKey, 'keyId' | 'scopes' | 'facilities' | 'deviceIds'>;

interface Trusted {
  readonly key: StoredKey;
  readonly untilMs: number;
}

/** Tells who calls. Looks a key up once in a while, not at every request. */
export class Keyring {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #trusted = new Map<string, Trusted>();
  readonly #useRecordedAtMs = new Map<string, number>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** The caller if the key was checked a moment ago. */
  recall(key: string): Caller | null {
    const known = this.#trusted.get(key);
    const nowMs = this.#now();
    return known !== undefined && nowMs < known.untilMs && isAlive(known.key, nowMs) ? known.key : null;
  }

  /** The caller as last known, however long ago: for when the storage cannot be asked and waiting would be worse. */
  remember(key: string): Caller | null {
    const known = this.#trusted.get(key);
    return known !== undefined && isAlive(known.key, this.#now()) ? known.key : null;
  }

  async identify(key: string): Promise<Caller | null> {
    if (key.startsWith('gk_') && !isWellFormedKey(key)) return null;
    const found = await this.#store.keys.findByHash(hashSecret(key));
    const nowMs = this.#now();
    if (found === undefined || !isAlive(found, nowMs)) {
      this.#trusted.delete(key);
      return null;
    }
    if (this.#trusted.size >= TRUSTED_KEYS_MAX) this.#trusted.clear();
    this.#trusted.set(key, { key: found, untilMs: nowMs + TRUST_MS });
    // Nobody waits for it: a storage that hangs must not hold up a stop.
    void this.#recordUse(found.keyId, nowMs);
    return found;
  }

  /** After a change here, nothing recalled from before may be believed. */
  forget(): void {
    this.#trusted.clear();
  }

  async #recordUse(keyId: string, nowMs: number): Promise<void> {
    if (nowMs - (this.#useRecordedAtMs.get(keyId) ?? 0) < USE_RECORDED_EVERY_MS) return;
    if (this.#useRecordedAtMs.size >= TRUSTED_KEYS_MAX) this.#useRecordedAtMs.clear();
    this.#useRecordedAtMs.set(keyId, nowMs);
    // A full disk must not lock people out of reading or stopping.
    await this.#store.keys.recordUse(keyId, nowMs).catch(() => this.#useRecordedAtMs.delete(keyId));
  }
}

/** A new key, and what is stored of it. */
export function draftKey(
  wanted: NewKey,
  nowMs: number,
  key: string = newKey(),
): { key: string; stored: NewStoredKey } {
  const stored: NewStoredKey = {
    ...draftSecret(key, nowMs),
    name: wanted.name,
    scopes: wanted.scopes,
    facilities: wanted.facilities ?? null,
    deviceIds: wanted.device_ids ?? null,
    expiresAtMs: wanted.expires_at === undefined ? null : checkedTimeMs(wanted.expires_at),
  };
  return { key, stored };
}

export const draftSecret = (key: string, nowMs: number) => ({
  keyId: newId('key', nowMs),
  hash: hashSecret(key),
  createdAtMs: nowMs,
});

export const issuedKey = (stored: StoredKey, key: string): IssuedKey => ({ ...keyRecord(stored), key });
