import type { App } from '@granary/app/app';
import { newId } from '@granary/app/ids';
import type { EventType } from '@granary/contract/events';
import type { IssuedKey, NewKey } from '@granary/contract/keys';
import { checkedTimeMs, DAY_MS } from '@granary/contract/time';
import { isValidAt, keyRecord, type StoredKey } from '@granary/core/keys';
import type { StoredEvent } from '@granary/store/tables/events';
import type { NewStoredKey } from '@granary/store/tables/keys';
import { hashSecret, newKey } from './secrets.ts';

/** How long a checked key is valid without another check; a revocation on any node takes effect within a second. */
const KEY_CACHED_MS = 500;
/** How long a checked key is accepted for a stop while the storage does not answer. */
export const LAST_KNOWN_MS_MAX = DAY_MS;
/** A further key replaces the one that was checked longest ago. */
const KEYS_CACHED_MAX = 10_000;
const USE_RECORDED_EVERY_MS = 60_000;

/** A caller is identified by its key alone. */
export type Caller = Pick<StoredKey, 'keyId' | 'name' | 'scopes' | 'facilities' | 'deviceIds'>;

interface CheckedKey {
  readonly key: StoredKey;
  readonly checkedAtMs: number;
}

type KeyStore = Pick<App['keys'], 'findByHash' | 'recordUse'>;

/** Identifies callers by their keys, and caches the result so that not every request needs the database. */
export class Keyring {
  readonly #keys: KeyStore;
  readonly #urgentKeys: KeyStore;
  readonly #now: () => number;
  readonly #checked = new Map<string, CheckedKey>();
  readonly #useRecordedAtMs = new Map<string, number>();
  #endingsSeen = 0;

  constructor(
    app: { readonly keys: KeyStore; readonly urgent: { readonly keys: KeyStore } },
    now: () => number,
  ) {
    this.#keys = app.keys;
    this.#urgentKeys = app.urgent.keys;
    this.#now = now;
  }

  /** The caller if the key was checked recently. */
  cached(key: string): Caller | null {
    return this.#checkedWithin(key, KEY_CACHED_MS);
  }

  /** The last known caller, for a stop that must not wait for the storage. */
  lastKnown(key: string): Caller | null {
    return this.#checkedWithin(key, LAST_KNOWN_MS_MAX);
  }

  /** Urgent look-ups do not wait for other work. */
  async identify(key: string, isUrgent = false): Promise<Caller | null> {
    const endingsSeen = this.#endingsSeen;
    const found = await (isUrgent ? this.#urgentKeys : this.#keys).findByHash(hashSecret(key));
    const nowMs = this.#now();
    if (found === undefined || !isValidAt(found, nowMs)) {
      this.#checked.delete(key);
      return null;
    }
    // A key that was read before another ended may be outdated, so it is not cached.
    if (endingsSeen === this.#endingsSeen) this.#keep(key, { key: found, checkedAtMs: nowMs });
    // Not awaited, because a storage that hangs must not delay a stop.
    void this.#recordUse(found.keyId, nowMs);
    return found;
  }

  /** Called when a key was revoked or got an earlier end, on this node or on another. */
  drop(keyId: string): void {
    this.#endingsSeen++;
    for (const [key, checked] of this.#checked) if (checked.key.keyId === keyId) this.#checked.delete(key);
  }

  #checkedWithin(key: string, ageMsMax: number): Caller | null {
    const checked = this.#checked.get(key);
    if (checked === undefined) return null;
    const nowMs = this.#now();
    const ageMs = nowMs - checked.checkedAtMs;
    // A clock that was set back must not extend the time.
    return ageMs >= 0 && ageMs < ageMsMax && isValidAt(checked.key, nowMs) ? checked.key : null;
  }

  #keep(key: string, checked: CheckedKey): void {
    this.#checked.delete(key);
    this.#checked.set(key, checked);
    for (const oldest of this.#checked.keys()) {
      if (this.#checked.size <= KEYS_CACHED_MAX) break;
      this.#checked.delete(oldest);
    }
  }

  async #recordUse(keyId: string, nowMs: number): Promise<void> {
    if (nowMs - (this.#useRecordedAtMs.get(keyId) ?? 0) < USE_RECORDED_EVERY_MS) return;
    if (this.#useRecordedAtMs.size >= KEYS_CACHED_MAX) this.#useRecordedAtMs.clear();
    this.#useRecordedAtMs.set(keyId, nowMs);
    // A full disk must not prevent reading or stopping.
    await this.#keys.recordUse(keyId, nowMs).catch(() => this.#useRecordedAtMs.delete(keyId));
  }
}

const FIELD_OF_ENDED_KEY: Partial<Record<EventType, string>> = {
  'key.revoked': 'key_id',
  'key.rotated': 'replaces',
};

/** The keys whose end these events report. */
export function endedKeyIds(events: readonly Pick<StoredEvent, 'type' | 'data'>[]): string[] {
  return events.flatMap(({ type, data }) => {
    const field = FIELD_OF_ENDED_KEY[type];
    const keyId = field === undefined ? undefined : data[field];
    return typeof keyId === 'string' ? [keyId] : [];
  });
}

/** A new key and its stored form. */
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
