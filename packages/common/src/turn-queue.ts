/** How the turns of the event loop begin and how time passes; tests count instead. */
export interface EventLoop {
  readonly nowMs: () => number;
  readonly onNextTurn: (act: () => void) => void;
  /** After everything that the present step has caused and that waits for nothing outside the process. */
  readonly afterThisStep: (act: () => void) => void;
}

export const EVENT_LOOP: EventLoop = {
  nowMs: () => performance.now(),
  onNextTurn: (act) => void setImmediate(act),
  afterThisStep: (act) => queueMicrotask(() => process.nextTick(act)),
};

/** The work in one turn of the event loop. What arrives meanwhile, such as a stop, is read after it. */
export const TURN_MS_MAX = 3;

/** Does work at once while the turn has time, and the rest in the next turns, in its order. */
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

  /** One piece of work, then the next after everything that it has caused. */
  readonly #serve = (): void => {
    if (this.#waiting.length === 0 || !this.#hasTime()) return;
    this.#waiting.shift()?.();
    this.#loop.afterThisStep(this.#serve);
  };
}
