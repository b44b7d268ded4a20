import { TurnQueue } from '@granary/common/turn-queue';
import { IN_FLIGHT_BYTES_MAX, IN_FLIGHT_BYTES_MIN, type LinkLimits } from '../limits.ts';
import type { LinkHandler } from '../port.ts';

/** The time that reading, or writing acknowledgements, may take in one turn of the event loop before other work has its time. */
const TURN_MS_MAX = 5;

export interface SharedReadingOptions {
  /** Is called before a connection is read and before its acknowledgements are written; it does more urgent work. */
  readonly serveFirst?: () => void;
}

/** The limits and turns that the connections of the link share for reading and acknowledging. */
export class SharedReading {
  readonly turns = new TurnQueue({ turnMsMax: TURN_MS_MAX });
  readonly acknowledging = new TurnQueue({ turnMsMax: TURN_MS_MAX });
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
   * The limit for each connection: reading pauses while this many bytes wait to be stored. While the storage is not available,
   * each connection has its maximum: a connection that is not read gets no answer to its keep-alive, and its device would close
   * it.
   */
  get inFlightBytesMax(): number {
    if (this.#handler.isHolding) return IN_FLIGHT_BYTES_MAX;
    const share = this.#bytesTotal / Math.max(1, this.#open.size);
    return Math.min(IN_FLIGHT_BYTES_MAX, Math.max(IN_FLIGHT_BYTES_MIN, share));
  }
}
