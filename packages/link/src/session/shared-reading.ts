import { IN_FLIGHT_BYTES_MAX, IN_FLIGHT_BYTES_MIN, type LinkLimits } from '../limits.ts';
import type { LinkHandler } from '../port.ts';
import { BoundedTurns } from './bounded-turns.ts';

export interface SharedReadingOptions {
  /** Called before a connection is read and before its acknowledgements are written: what is more urgent is done then. */
  readonly serveFirst?: () => void;
}

/** What the connections of the link share when they are read and acknowledged. */
export class SharedReading {
  readonly turns = new BoundedTurns();
  readonly acknowledging = new BoundedTurns();
  readonly serveFirst: () => void;
  readonly #open: { readonly size: number };
  readonly #handler: Pick<LinkHandler, 'isHolding'>;

  readonly #bytesTotal: number;

  constructor(
    open: { readonly size: number },
    handler: Pick<LinkHandler, 'isHolding'>,
    limits: Pick<LinkLimits, 'inFlightBytesTotal'>,
    { serveFirst = () => undefined }: SharedReadingOptions = {},
  ) {
    this.serveFirst = serveFirst;
    this.#bytesTotal = limits.inFlightBytesTotal;
    this.#open = open;
    this.#handler = handler;
  }

  /**
   * Per connection: reading pauses while this many bytes wait to be stored. While the storage is not available, each has
   * its maximum: a connection that is not read gets no answer to its keep-alive, and its device would give it up.
   */
  get inFlightBytesMax(): number {
    if (this.#handler.isHolding) return IN_FLIGHT_BYTES_MAX;
    const share = this.#bytesTotal / Math.max(1, this.#open.size);
    return Math.min(IN_FLIGHT_BYTES_MAX, Math.max(IN_FLIGHT_BYTES_MIN, share));
  }
}
