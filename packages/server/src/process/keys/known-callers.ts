import type { App } from '@granary/app/app';
import type { SessionOfKey } from '@granary/app/session/session-rows';
import { BoundedMap } from '@granary/common/bounded-map';
import { DAY_MS, MINUTE_MS } from '@granary/contract/time';
import { hasScope, type StoredCaller } from '@granary/core/keys';
import { FollowedCopy, readInParts } from '../followed-copy.ts';
import type { Logger } from '../logging/logger.ts';
import { type Caller, callerOf, type Found, foundBySession } from './callers.ts';

/** How long the last known caller may still stop something while the storage does not answer. */
export const LAST_KNOWN_MS_MAX = DAY_MS;
/** The limit of keys and sessions that are remembered; a further one replaces the one that was read longest ago. */
const CALLERS_MAX = 100_000;
/** All are read this often: changes on another node are reported at once, unless that node ends at this moment. */
const ALL_EVERY_MS = MINUTE_MS;

interface CallerReads {
  readonly keys: Pick<App['keys'], 'secrets' | 'secretsOf'>;
  readonly session: Pick<App['session'], 'all' | 'allOf'>;
}

interface KnownParts {
  readonly app: CallerReads;
  readonly logger: Logger;
  readonly now: () => number;
}

interface Known extends Found {
  readonly readAtMs: number;
  /** The value of `#round` when the caller was read last. */
  readonly round: number;
}

type HasEnded = (caller: Caller) => boolean;

/**
 * The callers who may stop something, by the hashes of keys and sessions. A caller that one node has accepted must be able to stop
 * something through every other node, also while none of them reaches the storage.
 */
export class KnownCallers {
  readonly #parts: KnownParts;
  readonly #copy: FollowedCopy;
  readonly #known = new BoundedMap<string, Known>(CALLERS_MAX);
  #round = 0;

  constructor(parts: KnownParts) {
    this.#parts = parts;
    this.#copy = new FollowedCopy({
      doing: 'reading who may stop something',
      allEveryMs: ALL_EVERY_MS,
      readAll: () => this.#readAll(),
      readChanged: (ids) => this.#readChanged(ids),
      logger: parts.logger,
    });
  }

  start(): Promise<void> {
    return this.#copy.start();
  }

  stop(): Promise<void> {
    return this.#copy.stop();
  }

  get size(): number {
    return this.#known.size;
  }

  /** `null` for an unknown caller and after a day without the storage; a clock that was set back must not extend this time. */
  find(hash: string): Found | null {
    const known = this.#known.get(hash);
    if (known === undefined) return null;
    const ageMs = this.#parts.now() - known.readAtMs;
    return ageMs >= 0 && ageMs < LAST_KNOWN_MS_MAX ? known : null;
  }

  /** Also remembers a caller who may stop nothing, so that a stop is refused with that reason. */
  note(hash: string, found: Found): void {
    const { caller, locked } = found;
    this.#known.set(hash, { caller, locked, readAtMs: this.#parts.now(), round: this.#round });
  }

  forget(hash: string): void {
    this.#known.delete(hash);
  }

  /** Called when keys, people or sessions (their hashes) are new or have changed. */
  changed(ids: readonly string[]): void {
    this.#copy.changed(ids);
  }

  allChanged(): void {
    this.#copy.allChanged();
  }

  /** Forgets callers who have ended; the terminal at which such a person had signed in stays known. */
  forgetWhere(hasEnded: HasEnded): void {
    for (const [hash, known] of this.#known) {
      if (!hasEnded(known.caller)) continue;
      const { locked, ...rest } = known;
      if (locked === null || hasEnded(locked.caller)) this.#known.delete(hash);
      else this.#known.set(hash, { ...rest, caller: locked.caller, locked: null });
    }
  }

  async #readAll(): Promise<void> {
    const { app, now } = this.#parts;
    this.#round += 1;
    const page = (afterHash: string | undefined, limit: number) => ({
      afterHash: afterHash ?? '',
      limit,
      nowMs: now(),
    });
    await readInParts<[string, StoredCaller]>(
      async (last, limit) => [...(await app.keys.secrets(page(last?.[0], limit)))],
      ([hash, key]) => this.#noteKey(hash, key),
    );
    await readInParts<[string, SessionOfKey]>(
      async (last, limit) => [...(await app.session.all(page(last?.[0], limit)))],
      ([hash, session]) => this.#noteSession(hash, session),
    );
    // A caller that was read neither now nor by a request since has ended, or may stop nothing.
    for (const [hash, { round }] of this.#known) if (round < this.#round) this.#known.delete(hash);
  }

  async #readChanged(ids: readonly string[]): Promise<void> {
    const { keys, session } = this.#parts.app;
    const [secrets, sessions] = await Promise.all([keys.secretsOf(ids), session.allOf(ids)]);
    const changed = new Set(ids);
    for (const [hash, { caller, locked }] of this.#known) {
      if (
        changed.has(hash) ||
        isOneOf(changed, caller) ||
        (locked !== null && isOneOf(changed, locked.caller))
      )
        this.#known.delete(hash);
    }
    for (const [hash, key] of secrets) this.#noteKey(hash, key);
    for (const [hash, found] of sessions) this.#noteSession(hash, found);
  }

  #noteKey(hash: string, key: StoredCaller): void {
    this.#noteStoppers(hash, { caller: callerOf(key), locked: null });
  }

  #noteSession(hash: string, session: SessionOfKey): void {
    this.#noteStoppers(hash, foundBySession(session));
  }

  #noteStoppers(hash: string, found: Found): void {
    if (hasScope(found.caller, 'stop') || (found.locked !== null && hasScope(found.locked.caller, 'stop')))
      this.note(hash, found);
  }
}

/** Whether the caller has its rights from one of these keys or people. */
const isOneOf = (ids: ReadonlySet<string>, { keyId, personalKeyId, terminal }: Caller): boolean =>
  [keyId, personalKeyId, terminal?.keyId].some((id) => typeof id === 'string' && ids.has(id));
