import { Refusal } from '@granary/contract/errors';
import { outsideRequest, whileRequestLasts } from '@granary/store/request-time';
import { LATE } from '@granary/store/within';

/** A query that hangs must not hold the others for as long. */
const QUERIES_MAX = 2;
const HASHES_PER_QUERY_MAX = 500;

type Find<Found> = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Found>>;

/**
 * Looks up credentials by their hashes. Those that arrive while queries run share the next query, so a flood of wrong
 * credentials costs few queries, and a good one among them waits for one or two of these.
 */
export class SharedLookUp<Found> {
  readonly #find: Find<Found>;
  /** Those that no running query has. A look-up never joins a running query, which may have read before the last change. */
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
    const found = await whileRequestLasts(waiting.promise);
    if (found !== LATE) return found;
    throw new Refusal('storage_unavailable', 'the storage does not answer');
  }

  #query(): void {
    if (this.#queries >= QUERIES_MAX || this.#waiting.size === 0) return;
    const asked = [...this.#waiting].slice(0, HASHES_PER_QUERY_MAX);
    for (const [hash] of asked) this.#waiting.delete(hash);
    this.#queries++;
    outsideRequest(() => this.#find(asked.map(([hash]) => hash)))
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
