import { Readable } from 'node:stream';
import { Refusal } from '@granary/contract/errors';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Keyring } from '../../process/keys/keyring.ts';
import type { Credential } from '../../process/keys/secrets.ts';

export const EXPORTS_MAX = 4;
export const EXPORTS_PER_KEY_MAX = 2;
/** Text that waits for a caller who reads slowly; the export pauses until it is read. */
const BUFFER_BYTES_MAX = 64 * 1024;

/** A caller who reads nothing of a page for this long has left without closing the connection. */
export const UNREAD_MS_MAX = MINUTE_MS;
/** When all places are taken, an export of which nothing was read for this long is ended for a new one. */
export const STALLED_MS = 10 * SECOND_MS;

/** Makes the text of an export, a page with each step. */
export type ExportPages = AsyncGenerator<string, void, undefined>;

/** The caller of an export: the limits are those of the key, and the credential tells whether the export may go on. */
export interface ExportCaller {
  readonly keyId: string;
  readonly credential: Credential;
}

/** The place of an export, from before its first page until its end. */
interface Place {
  readonly keyId: string;
  /** `null` until the first page is made. */
  stream: Readable | null;
  /** Since when a page waits to be read; `null` while the next page is made. */
  unreadSinceMs: number | null;
}

/**
 * Runs exports beside everything else: one page at a time of all exports together, and after each page a pause as long as the
 * page took. So they use at most half of the main thread, and a stop waits for one short page at most.
 */
export class ExportRunner {
  readonly #keyring: Pick<Keyring, 'cached' | 'identify'>;
  readonly #nowMs: () => number;
  readonly #places = new Set<Place>();
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(keyring: Pick<Keyring, 'cached' | 'identify'>, nowMs: () => number = () => performance.now()) {
    this.#keyring = keyring;
    this.#nowMs = nowMs;
  }

  get count(): number {
    return this.#places.size;
  }

  /** Makes the first page before it resolves, so that a fault in it can still be answered. */
  async open({ keyId, credential }: ExportCaller, start: () => Promise<ExportPages>): Promise<Readable> {
    const place = this.#takePlace(keyId);
    try {
      const pages = await this.#turn(start);
      const first = await this.#turn(() => pages.next());
      const text = this.#rest(credential, pages, first, place);
      const stream = Readable.from(text, { objectMode: false, highWaterMark: BUFFER_BYTES_MAX });
      place.stream = stream;
      stream.once('close', () => this.#places.delete(place));
      return stream;
    } catch (error) {
      this.#places.delete(place);
      throw error;
    }
  }

  /** Ends every export; their callers see a file that is cut off. */
  stop(): void {
    for (const { stream } of this.#places) stream?.destroy(new Error('the service is stopping'));
  }

  /** Takes the place before anything is awaited, so that requests at the same moment see each other. */
  #takePlace(keyId: string): Place {
    const ofKey = [...this.#places].filter((place) => place.keyId === keyId).length;
    if (ofKey >= EXPORTS_PER_KEY_MAX) {
      throw new Refusal(
        'export_limit_reached',
        `this key has ${EXPORTS_PER_KEY_MAX} exports running already`,
      );
    }
    if (this.#places.size >= EXPORTS_MAX && !this.#endStalled()) {
      throw new Refusal('export_limit_reached', `${EXPORTS_MAX} exports are running already`);
    }
    const place: Place = { keyId, stream: null, unreadSinceMs: null };
    this.#places.add(place);
    return place;
  }

  /** Ends the export whose page has waited longest to be read, if that is at least `STALLED_MS`. Returns whether there was one. */
  #endStalled(): boolean {
    let longest: Place | null = null;
    for (const place of this.#places) {
      if (
        (place.unreadSinceMs ?? Number.POSITIVE_INFINITY) <
        (longest?.unreadSinceMs ?? Number.POSITIVE_INFINITY)
      )
        longest = place;
    }
    if (longest === null || this.#nowMs() - (longest.unreadSinceMs ?? Number.POSITIVE_INFINITY) < STALLED_MS)
      return false;
    this.#places.delete(longest);
    longest.stream?.destroy(new Error('the caller stopped reading, and another one needs the place'));
    return true;
  }

  async *#rest(
    credential: Credential,
    pages: ExportPages,
    first: IteratorResult<string, void>,
    place: Place,
  ): ExportPages {
    const giveUp = (): void => void place.stream?.destroy(new Error('the caller stopped reading'));
    for (let page = first; page.done !== true; page = await this.#turn(() => pages.next())) {
      if (page.value !== '') {
        const unread = setTimeout(giveUp, UNREAD_MS_MAX);
        place.unreadSinceMs = this.#nowMs();
        try {
          yield page.value;
        } finally {
          clearTimeout(unread);
          place.unreadSinceMs = null;
        }
      }
      // A key that ended must not go on reading.
      const caller = this.#keyring.cached(credential) ?? (await this.#keyring.identify(credential));
      if (caller === null) throw new Error('the key of this export has ended');
    }
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#lastTurn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastTurn = promise;
    await before;
    const beganMs = performance.now();
    try {
      return await work();
    } finally {
      setTimeout(resolve, performance.now() - beganMs);
    }
  }
}
