import { Readable } from 'node:stream';
import { Refusal } from '@granary/contract/errors';
import { MINUTE_MS } from '@granary/contract/time';
import type { Keyring } from '../keys/keyring.ts';

export const EXPORTS_MAX = 4;
export const EXPORTS_PER_KEY_MAX = 2;
/** Text that waits for a caller who reads slowly; the export pauses until it is read. */
const BUFFER_BYTES_MAX = 64 * 1024;

/** A caller who reads nothing of a page for so long has left without closing the connection, and gives its place to others. */
export const UNREAD_MS_MAX = 5 * MINUTE_MS;

/** Makes the text of an export, a page with each step. */
export type ExportPages = AsyncGenerator<string, void, undefined>;

/**
 * Runs exports beside everything else: one page at a time of all exports together, and after each page a pause as long as the
 * page took. So they use at most half of the main thread, and a stop waits for one short page at most.
 */
export class ExportRunner {
  readonly #keyring: Pick<Keyring, 'cached' | 'identify'>;
  readonly #running = new Map<Readable, string>();
  #lastTurn: Promise<void> = Promise.resolve();
  #opening = 0;

  constructor(keyring: Pick<Keyring, 'cached' | 'identify'>) {
    this.#keyring = keyring;
  }

  get count(): number {
    return this.#running.size + this.#opening;
  }

  /** Makes the first page before it resolves, so that a fault in it can still be answered. */
  async open(key: string, start: () => Promise<ExportPages>): Promise<Readable> {
    this.#requireRoom(key);
    this.#opening++;
    try {
      const pages = await this.#turn(start);
      const first = await this.#turn(() => pages.next());
      const text = this.#rest(key, pages, first, () =>
        stream.destroy(new Error('the caller stopped reading')),
      );
      const stream = Readable.from(text, { objectMode: false, highWaterMark: BUFFER_BYTES_MAX });
      this.#running.set(stream, key);
      stream.once('close', () => this.#running.delete(stream));
      return stream;
    } finally {
      this.#opening--;
    }
  }

  /** Ends every export; their callers see a file that is cut off. */
  stop(): void {
    for (const stream of this.#running.keys()) stream.destroy(new Error('the service is stopping'));
  }

  #requireRoom(key: string): void {
    const ofKey = [...this.#running.values()].filter((other) => other === key).length;
    if (ofKey >= EXPORTS_PER_KEY_MAX) {
      throw new Refusal(
        'export_limit_reached',
        `this key has ${EXPORTS_PER_KEY_MAX} exports running already`,
      );
    }
    if (this.count >= EXPORTS_MAX) {
      throw new Refusal('export_limit_reached', `${EXPORTS_MAX} exports are running already`);
    }
  }

  async *#rest(
    key: string,
    pages: ExportPages,
    first: IteratorResult<string, void>,
    giveUp: () => void,
  ): ExportPages {
    for (let page = first; page.done !== true; page = await this.#turn(() => pages.next())) {
      if (page.value !== '') {
        const unread = setTimeout(giveUp, UNREAD_MS_MAX);
        try {
          yield page.value;
        } finally {
          clearTimeout(unread);
        }
      }
      // A key that ended must not go on reading.
      const caller = this.#keyring.cached(key) ?? (await this.#keyring.identify(key));
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
