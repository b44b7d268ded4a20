import { monotonicMs } from '@granary/common/monotonic-ms';
import { type ClockEstimates, type ClockSample, offsetOf, withSample } from '@granary/core/nodes';

/** A larger correction means that somebody has set the clock of the database. */
const SMALL_MS_MAX = 1_000;
/** A clock that is a little ahead runs at half speed until it is right, because times that go back look like errors. */
const SLOWED_BY = 0.5;

/**
 * The values that all threads need to tell the time, in four slots:
 * 0: the number that is added to the clock of the system;
 * 1: the number that is added to the monotonic clock, which is used instead as soon as this slot has a number;
 * 2: the number that was added to the monotonic clock before the last correction;
 * 3: the time at which the last correction began.
 */
export type SharedClock = Float64Array;

export const newSharedClock = (): SharedClock =>
  new Float64Array(new SharedArrayBuffer(4 * Float64Array.BYTES_PER_ELEMENT)).fill(Number.NaN, 1);

export function readClock(shared: SharedClock): number {
  const [aheadMs = 0, offsetMs = Number.NaN, formerMs = offsetMs, correctedSinceMs = 0] = shared;
  if (Number.isNaN(offsetMs)) return Date.now() + aheadMs;
  const nowMs = monotonicMs();
  return Math.floor(nowMs + Math.max(offsetMs, formerMs - (nowMs - correctedSinceMs) * SLOWED_BY));
}

function correct(shared: SharedClock, offsetMs: number): void {
  const nowMs = monotonicMs();
  const shownMs = Number.isNaN(shared[1]) ? offsetMs : readClock(shared) - nowMs;
  const isSmall = Math.abs(shownMs - offsetMs) <= SMALL_MS_MAX;
  shared[2] = isSmall ? Math.max(shownMs, offsetMs) : offsetMs;
  shared[3] = nowMs;
  shared[1] = offsetMs;
}

interface ClockParts {
  /** Replaces all clocks, in tests. */
  readonly fixed?: (() => number) | undefined;
  /** The clock of this machine. */
  readonly system?: (() => number) | undefined;
}

/**
 * The time by which the service decides. When several nodes may share the database, it is the time of the database, because the clocks of
 * their machines may differ; otherwise it is the time of the machine.
 */
export class ServiceClock {
  readonly now: () => number;
  readonly #shared = newSharedClock();
  readonly #fixed: (() => number) | undefined;
  readonly #system: () => number;
  #estimates: ClockEstimates = [];

  constructor({ fixed, system = Date.now }: ClockParts = {}) {
    this.#fixed = fixed;
    this.#system = system;
    this.now = fixed ?? (() => (this.#isOfDatabase ? readClock(this.#shared) : system()));
  }

  /** How much the clock of this machine is ahead of that of the database; 0 when the clock of the database is not used. */
  get systemAheadMs(): number {
    return this.#isOfDatabase ? this.#system() - this.now() : 0;
  }

  get #isOfDatabase(): boolean {
    return !Number.isNaN(this.#shared[1]);
  }

  /** The clock for the other threads of the process. In tests with a time of their own, the threads stay as far ahead as that time is now. */
  forThreads(): SharedClock {
    this.#shared[0] = this.#fixed === undefined && this.#system === Date.now ? 0 : this.now() - Date.now();
    return this.#shared;
  }

  take(sample: ClockSample): void {
    if (this.#fixed !== undefined) return;
    this.#estimates = withSample(this.#estimates, sample);
    const offsetMs = offsetOf(this.#estimates);
    if (offsetMs !== null) correct(this.#shared, offsetMs);
  }
}
