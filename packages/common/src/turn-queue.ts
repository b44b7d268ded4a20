/** The turns of the event loop and the time; tests replace them by counters. */
export interface EventLoop {
  readonly nowMs: () => number;
  readonly onNextTurn: (act: () => void) => void;
  /** Runs a function after everything that the present step has caused and that waits for nothing outside the process. */
  readonly afterThisStep: (act: () => void) => void;
}

const EVENT_LOOP: EventLoop = {
  nowMs: () => performance.now(),
  onNextTurn: (act) => void setImmediate(act),
  afterThisStep: (act) => queueMicrotask(() => process.nextTick(act)),
};

/** The usual time for one kind of work in one turn of the event loop. Input that arrives meanwhile, such as a stop, is read after the turn. */
export const TURN_MS_MAX = 3;

type Work = () => void;

export interface TurnOptions {
  readonly turnMsMax?: number;
  /** Is asked at the begin of each turn; true when nothing may be done in it. */
  readonly isHeld?: () => boolean;
  readonly loop?: EventLoop;
}

/** Limits the time of one kind of work in each turn of the event loop. What has to wait is kept by whoever uses it. */
export class Turns {
  readonly #next: () => Work | undefined;
  readonly #turnMsMax: number;
  readonly #isHeld: () => boolean;
  readonly loop: EventLoop;
  #beganAtMs: number | null = null;

  /** `next` returns the work that waits longest, if any may be done now; calling the work takes it from what waits. */
  constructor(
    next: () => Work | undefined,
    { turnMsMax = TURN_MS_MAX, isHeld = () => false, loop = EVENT_LOOP }: TurnOptions = {},
  ) {
    this.#next = next;
    this.#turnMsMax = turnMsMax;
    this.#isHeld = isHeld;
    this.loop = loop;
  }

  /** Whether there is time for more in this turn. If not, what waits is served in the next one. */
  hasTime(): boolean {
    const nowMs = this.loop.nowMs();
    return nowMs - this.begin(nowMs) < this.#turnMsMax;
  }

  /** Has what waits served in the next turn; returns the time at which the work of this turn began. */
  begin(nowMs = this.loop.nowMs()): number {
    if (this.#beganAtMs === null) {
      this.#beganAtMs = nowMs;
      this.loop.onNextTurn(this.#nextTurn);
    }
    return this.#beganAtMs;
  }

  readonly #nextTurn = (): void => {
    this.#beganAtMs = null;
    if (this.#isHeld()) this.begin();
    else this.#serve();
  };

  /** Runs one piece of work, and the next one after everything that the first one has caused. */
  readonly #serve = (): void => {
    const work = this.#next();
    if (work === undefined || !this.hasTime()) return;
    work();
    this.loop.afterThisStep(this.#serve);
  };
}

/** Does work at once while the turn has time, and the rest in the next turns, in the same order. */
export class TurnQueue {
  readonly #turns: Turns;
  readonly #waiting: Work[] = [];

  constructor(options?: Omit<TurnOptions, 'isHeld'>) {
    const serveFirst: Work = () => this.#waiting.shift()?.();
    this.#turns = new Turns(() => (this.#waiting.length === 0 ? undefined : serveFirst), options);
  }

  run(work: Work): void {
    if (this.mayBegin()) work();
    else this.wait(work);
  }

  /** False if others wait or the time of the turn is over; then the caller must wait, too. */
  mayBegin(): boolean {
    return this.#waiting.length === 0 && this.#turns.hasTime();
  }

  hasTime(): boolean {
    return this.#turns.hasTime();
  }

  /** Calls `work` in a later turn, after what waits already. */
  wait(work: Work): void {
    this.#waiting.push(work);
    this.#turns.begin();
  }
}
