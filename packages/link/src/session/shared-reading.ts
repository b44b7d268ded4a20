import { IN_FLIGHT_BYTES_MAX, IN_FLIGHT_BYTES_MIN, type LinkLimits } from '../limits.ts';
import type { LinkHandler } from '../port.ts';

/** The time that reading, or writing acknowledgements, may take in one turn of the event loop before other work has its time. */
export const TURN_MS_MAX = 5;

export interface SharedReadingOptions {
  /** Is called before a connection is read and before its acknowledgements are written; it does more urgent work. */
  readonly serveFirst?: () => void;
}

/** The limits and turns that the connections of the link share for reading and acknowledging. */
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

type Work = () => void;

interface Surroundings {
  readonly nowMs: () => number;
  readonly nextTurn: (begin: () => void) => void;
}

const PROCESS: Surroundings = { nowMs: () => performance.now(), nextTurn: (begin) => setImmediate(begin) };

/**
 * Shares the thread between the connections and the rest of its work: when the time of a turn is over, connections with more
 * to do wait in a row and continue in later turns.
 */
export class BoundedTurns {
  readonly #surroundings: Surroundings;
  readonly #row: Work[] = [];
  /** The start of the work in this turn; `null` if nothing was done since the last turn. */
  #startedMs: number | null = null;

  constructor(surroundings: Surroundings = PROCESS) {
    this.#surroundings = surroundings;
  }

  /** Returns false if others wait or the time is over; then the caller must wait, too. */
  mayBegin(): boolean {
    if (this.#row.length > 0) return false;
    if (this.#startedMs === null) this.#planTurn();
    return this.hasTime();
  }

  hasTime(): boolean {
    const nowMs = this.#surroundings.nowMs();
    this.#startedMs ??= nowMs;
    return nowMs - this.#startedMs < TURN_MS_MAX;
  }

  /** Calls `work` in a later turn, after those that wait already. */
  wait(work: Work): void {
    if (this.#row.length === 0 && this.#startedMs === null) this.#planTurn();
    this.#row.push(work);
  }

  #planTurn(): void {
    this.#startedMs = this.#surroundings.nowMs();
    this.#surroundings.nextTurn(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#startedMs = null;
    if (this.#row.length === 0) return;
    this.#planTurn();
    const waiting = this.#row;
    let next = 0;
    // A connection that has more to do joins the row again, behind the others.
    while (next < waiting.length && this.hasTime()) waiting[next++]?.();
    waiting.splice(0, next);
  }
}
