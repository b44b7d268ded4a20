/** The turns of the event loop and the time; tests replace them by counters. */
export interface EventLoop {
  readonly nowMs: () => number;
  readonly onNextTurn: (act: () => void) => void;
  /** Runs a function after everything that the present step has caused and that waits for nothing outside the process. */
  readonly afterThisStep: (act: () => void) => void;
}

export const EVENT_LOOP: EventLoop = {
  nowMs: () => performance.now(),
  onNextTurn: (act) => void setImmediate(act),
  afterThisStep: (act) => queueMicrotask(() => process.nextTick(act)),
};

/** The time for work in one turn of the event loop. Input that arrives meanwhile, such as a stop, is read after the turn. */
export const TURN_MS_MAX = 3;

/** Does work at once while the turn has time, and the rest in the next turns, in the same order. */
export class TurnQueue {
  readonly #loop: EventLoop;
  readonly #waiting: (() => void)[] = [];
  #beganAtMs: number | null = null;

  constructor(loop: EventLoop = EVENT_LOOP) {
    this.#loop = loop;
  }

  run(work: () => void): void {
    if (this.#waiting.length === 0 && this.#hasTime()) work();
    else this.#waiting.push(work);
  }

  #hasTime(): boolean {
    const nowMs = this.#loop.nowMs();
    if (this.#beganAtMs === null) {
      this.#beganAtMs = nowMs;
      this.#loop.onNextTurn(this.#nextTurn);
    }
    return nowMs - this.#beganAtMs < TURN_MS_MAX;
  }

  readonly #nextTurn = (): void => {
    this.#beganAtMs = null;
    if (this.#waiting.length > 0) this.#serve();
  };

  /** Runs one piece of work, and the next one after everything that the first one has caused. */
  readonly #serve = (): void => {
    if (this.#waiting.length === 0 || !this.#hasTime()) return;
    this.#waiting.shift()?.();
    this.#loop.afterThisStep(this.#serve);
  };
}
