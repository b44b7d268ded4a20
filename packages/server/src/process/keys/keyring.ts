import type { App } from '@granary/app/app';
import type { StoredEvent } from '@granary/app/events/event-rows';
import { newId } from '@granary/app/ids';
import type { NewStoredKey } from '@granary/app/keys/key-rows';
import type { SessionOfKey } from '@granary/app/session/session-rows';
import { BoundedMap } from '@granary/common/bounded-map';
import type { EventType } from '@granary/contract/events';
import type { IssuedKey, NewKey } from '@granary/contract/keys';
import { checkedTimeMs, HOUR_MS } from '@granary/contract/time';
import { grantOf, isValidAt, keyRecord, type StoredCaller, type StoredKey } from '@granary/core/keys';
import { type Caller, callerAt, callerOf, type Found, foundBySession, isCallerValidAt } from './callers.ts';
import type { KnownCallers } from './known-callers.ts';
import { type Credential, hashSecret, newKey, sessionSecretOf } from './secrets.ts';

/** The number of queries at the same time, so that one that hangs does not hold all others. */
const QUERIES_MAX = 2;

const HASHES_PER_QUERY_MAX = 500;

/** How long a checked key is valid without another check; a revocation on any node takes effect within a second. */
const KEY_CACHED_MS = 500;
/** A further key replaces the one that was checked longest ago. */
const KEYS_CACHED_MAX = 10_000;
const USE_RECORDED_EVERY_MS = 60_000;
const SESSION_USE_RECORDED_EVERY_MS = HOUR_MS;

interface CheckedCaller extends Found {
  readonly checkedAtMs: number;
}

interface KeyReads {
  readonly keys: Pick<App['keys'], 'findByHashes'>;
  readonly session: Pick<App['session'], 'find' | 'keysOfCodes'>;
}

interface KeyStore extends KeyReads {
  readonly keys: Pick<App['keys'], 'findByHashes' | 'recordUse'>;
  readonly session: Pick<App['session'], 'find' | 'keysOfCodes' | 'recordUse'>;
  readonly urgent: KeyReads;
}

/** The hash of the key, or of the cookie of a session. */
const hashOf = (credential: Credential): string => hashSecret(sessionSecretOf(credential) ?? credential);

/** The look-ups over one way to the storage: the usual one, or the one for urgent requests. */
class LookUps {
  readonly #keys: SharedLookUp<StoredCaller>;
  readonly #sessions: SharedLookUp<SessionOfKey>;

  constructor({ keys, session }: KeyReads) {
    this.#keys = new SharedLookUp((hashes) => keys.findByHashes(hashes));
    this.#sessions = new SharedLookUp((hashes) => session.find(hashes));
  }

  async find(credential: Credential): Promise<Found | null> {
    const hash = hashOf(credential);
    if (sessionSecretOf(credential) === null) {
      const key = await this.#keys.find(hash);
      return key === undefined ? null : { caller: callerOf(key), locked: null };
    }
    const found = await this.#sessions.find(hash);
    return found === undefined ? null : foundBySession(found);
  }
}

/** Identifies callers by their keys, and caches the result so that not every request needs the database. */
export class Keyring {
  readonly #store: KeyStore;
  readonly #known: KnownCallers;
  readonly #lookUps: LookUps;
  readonly #urgentLookUps: LookUps;
  readonly #codes: SharedLookUp<StoredCaller>;
  readonly #now: () => number;
  readonly #checked = new BoundedMap<Credential, CheckedCaller>(KEYS_CACHED_MAX);
  readonly #useRecordedAtMs = new BoundedMap<string, number>(KEYS_CACHED_MAX);
  #changesSeen = 0;

  constructor(app: KeyStore, known: KnownCallers, now: () => number) {
    this.#store = app;
    this.#known = known;
    this.#lookUps = new LookUps(app);
    this.#urgentLookUps = new LookUps(app.urgent);
    this.#codes = new SharedLookUp((hashes) => app.session.keysOfCodes(hashes, now()));
    this.#now = now;
  }

  /** The caller if it was checked recently. */
  cached(credential: Credential): Caller | null {
    const checked = this.#checked.get(credential);
    if (checked === undefined) return null;
    const ageMs = this.#now() - checked.checkedAtMs;
    // A clock that was set back must not extend the time.
    return ageMs >= 0 && ageMs < KEY_CACHED_MS ? this.#validCaller(checked) : null;
  }

  /** The last known caller, for a stop that must not wait for the storage. */
  lastKnown(credential: Credential): Caller | null {
    const found = this.#known.find(hashOf(credential));
    return found && this.#validCaller(found);
  }

  /** Identifies a caller; urgent look-ups do not wait for other work. */
  async identify(credential: Credential, isUrgent = false): Promise<Caller | null> {
    const changesSeen = this.#changesSeen;
    const found = await (isUrgent ? this.#urgentLookUps : this.#lookUps).find(credential);
    const nowMs = this.#now();
    const caller = found && callerAt(found, nowMs);
    if (found === null || caller === null || !isCallerValidAt(caller, nowMs)) {
      this.#checked.delete(credential);
      this.#known.forget(hashOf(credential));
      return null;
    }
    // A key that was read before another ended or changed may be outdated, so it is not cached.
    if (changesSeen === this.#changesSeen) {
      this.#checked.set(credential, { ...found, checkedAtMs: nowMs });
      this.#known.note(hashOf(credential), found);
    }
    // The use is recorded without waiting, because a storage that hangs must not delay a stop.
    void this.#recordUse(caller, nowMs);
    return caller;
  }

  /** The key with which a sign-in code signs in. */
  async keyOfCode(code: string): Promise<Caller | null> {
    const key = await this.#codes.find(hashSecret(code));
    return key === undefined || !isValidAt(key, this.#now()) ? null : callerOf(key);
  }

  /** Called when a key was revoked or got an earlier end, on this node or on another. */
  drop(keyId: string): void {
    this.#dropWhere(({ keyId: id, personalKeyId, terminal }) =>
      [id, personalKeyId, terminal?.keyId].includes(keyId),
    );
    this.#known.changed([keyId]);
  }

  /** Drops keys that were ended on any node. */
  observe(events: readonly Pick<StoredEvent, 'type' | 'data'>[]): void {
    for (const keyId of endedKeyIds(events)) this.drop(keyId);
  }

  /** Called when sessions have ended on this node; the key and its other sessions stay last known, for a stop. */
  dropSessions(hashes: readonly string[]): void {
    this.#dropWhere(({ session }) => session !== null && hashes.includes(session.hash));
    this.#known.changed(hashes);
  }

  /** Called when keys, people or sessions (their hashes) are new or have changed, on this node or on another. */
  accessChanged(ids: readonly string[]): void {
    this.#changesSeen++;
    this.#known.changed(ids);
  }

  /** Called when changes on other nodes may have been missed. */
  changesMissed(): void {
    this.#known.allChanged();
  }

  #dropWhere(hasEnded: (caller: Caller) => boolean): void {
    this.#changesSeen++;
    for (const [credential, { caller }] of this.#checked) {
      if (hasEnded(caller)) this.#checked.delete(credential);
    }
    this.#known.forgetWhere(hasEnded);
  }

  #validCaller(found: Found): Caller | null {
    const nowMs = this.#now();
    const caller = callerAt(found, nowMs);
    return isCallerValidAt(caller, nowMs) ? caller : null;
  }

  async #recordUse(caller: Caller, nowMs: number): Promise<void> {
    const { keyId, personalKeyId, kind, session, terminal } = caller;
    const { keys, session: sessions } = this.#store;
    for (const id of new Set([keyId, personalKeyId ?? keyId, terminal?.keyId ?? keyId])) {
      await this.#recordSometimes(id, nowMs, () => keys.recordUse(id, nowMs));
    }
    if (session === null || nowMs - session.lastUsedAtMs < SESSION_USE_RECORDED_EVERY_MS) return;
    await this.#recordSometimes(session.hash, nowMs, () =>
      sessions.recordUse(session, terminal === null ? kind : 'terminal', nowMs),
    );
  }

  async #recordSometimes(id: string, nowMs: number, record: () => Promise<void>): Promise<void> {
    if (nowMs - (this.#useRecordedAtMs.get(id) ?? 0) < USE_RECORDED_EVERY_MS) return;
    this.#useRecordedAtMs.set(id, nowMs);
    // A full disk must not prevent reading or stopping.
    await record().catch(() => this.#useRecordedAtMs.delete(id));
  }
}

const FIELD_OF_ENDED_KEY: Partial<Record<EventType, string>> = {
  'key.revoked': 'key_id',
  'key.rotated': 'replaces',
};

/** The keys whose end these events report. */
function endedKeyIds(events: readonly Pick<StoredEvent, 'type' | 'data'>[]): string[] {
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
    kind: 'service',
    name: wanted.name,
    grants: [grantOf(wanted.scopes, wanted.facilities, wanted.device_ids)],
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

type Find<Found> = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Found>>;

/**
 * Looks up credentials by their hashes. Those that arrive while queries run share the next query, so a flood of wrong credentials costs
 * few queries, and a valid one among them waits for one or two of these.
 */
export class SharedLookUp<Found> {
  readonly #find: Find<Found>;
  /** The hashes that no running query has. A look-up never joins a running query, which may have read before the last change. */
  readonly #waiting = new Map<string, PromiseWithResolvers<Found | undefined>>();
  #queries = 0;

  constructor(find: Find<Found>) {
    this.#find = find;
  }

  async find(hash: string): Promise<Found | undefined> {
    let waiting = this.#waiting.get(hash);
    if (waiting === undefined) {
      waiting = Promise.withResolvers();
      this.#waiting.set(hash, waiting);
      this.#query();
    }
    return await waiting.promise;
  }

  #query(): void {
    if (this.#queries >= QUERIES_MAX || this.#waiting.size === 0) return;
    const asked = [...this.#waiting].slice(0, HASHES_PER_QUERY_MAX);
    for (const [hash] of asked) this.#waiting.delete(hash);
    this.#queries++;
    this.#find(asked.map(([hash]) => hash))
      .then(
        (found) => {
          for (const [hash, { resolve }] of asked) resolve(found.get(hash));
        },
        (error: unknown) => {
          for (const [, { reject }] of asked) reject(error);
        },
      )
      .finally(() => {
        this.#queries--;
        this.#query();
      });
  }
}
