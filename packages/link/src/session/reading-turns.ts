/** The time that reading may take in one turn of the event loop, before requests and results of the storage have theirs. */
export const READING_MS_MAX = 5;

type Read = () => void;

interface Surroundings {
  readonly nowMs: () => number;
  readonly nextTurn: (begin: () => void) => void;
}

const PROCESS: Surroundings = { nowMs: () => performance.now(), nextTurn: (begin) => setImmediate(begin) };

/**
 * Shares the thread between the connections and the rest of the service: when the time of a turn is over, connections with
 * unread packets wait in a row and continue in later turns.
 */
export class ReadingTurns {
  readonly #surroundings: Surroundings;
  readonly #row: Read[] = [];
  /** `null` when nothing was read since the last turn. */
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
    return nowMs - this.#startedMs < READING_MS_MAX;
  }

  /** Calls `read` in a later turn, after those that wait already. */
  wait(read: Read): void {
    if (this.#row.length === 0 && this.#startedMs === null) this.#planTurn();
    this.#row.push(read);
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
    // A connection that has more to read joins the row again, behind the others.
    while (next < waiting.length && this.hasTime()) waiting[next++]?.();
    waiting.splice(0, next);
  }
}
