/** The time that reading, or writing acknowledgements, may take in one turn of the event loop before other work has its time. */
export const TURN_MS_MAX = 5;

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
  /** `null` when nothing was done since the last turn. */
  #startedMs: number | null = null;

  constructor(surroundings: Surroundings = PROCESS) {
    this.#surroundings = surroundings;
  }

  /** False when others wait or the time is over; the caller then waits as well. */
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
