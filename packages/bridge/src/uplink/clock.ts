import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { DIFFERENCE_MS_MAX } from './message.ts';

/** The clocks of the machine, which tests replace. */
export interface MachineClocks {
  /** The time of the system, which can be set and may be wrong. */
  readonly system: () => number;
  /** The time since the machine was started, including sleep. It is the same for all processes, and not exact. */
  readonly boot: () => number;
  /** An exact time that is never set, and that does not advance while the machine sleeps. */
  readonly monotonic: () => number;
}

const CLOCKS: MachineClocks = {
  system: Date.now,
  boot: () => uptime() * 1_000,
  monotonic: () => performance.now(),
};

/** Returns the id of the boot; `null` if the system does not provide it. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

interface Base {
  readonly timeMs: number;
  readonly monotonicMs: number;
  readonly bootMs: number;
  readonly systemMs: number;
}

/**
 * The time of readings. It is the clock of the machine until the service has told its own time; then it is independent, so that
 * a clock that is set, or that was wrong at the start, moves no reading to another time.
 */
export class BridgeClock {
  readonly #clocks: MachineClocks;
  readonly #onCorrection: (byMs: number) => void;
  #base: Base | null = null;

  constructor(onCorrection: (byMs: number) => void, clocks: Partial<MachineClocks> = {}) {
    this.#onCorrection = onCorrection;
    this.#clocks = { ...CLOCKS, ...clocks };
  }

  /** True if the service has told its time since the start. */
  get isConfirmed(): boolean {
    return this.#base !== null;
  }

  /**
   * How far the time of readings is ahead of the boot clock: `null` in the first function once the service has confirmed the
   * time, and in the second one until then.
   */
  readonly unconfirmedAheadMs = (): number | null => (this.#base === null ? this.#aheadMs() : null);
  readonly confirmedAheadMs = (): number | null => (this.#base === null ? null : this.#aheadMs());

  readonly now = (): number => {
    const { system, monotonic } = this.#clocks;
    if (this.#base === null) return system();
    const elapsedMs = monotonic() - this.#base.monotonicMs;
    // The clock of the machine was set, or the machine has slept; only the boot clock shows which.
    if (Math.abs(system() - this.#base.systemMs - elapsedMs) > DIFFERENCE_MS_MAX)
      this.#base = this.#baseAt(this.#base.timeMs + this.#clocks.boot() - this.#base.bootMs);
    return Math.round(this.#base.timeMs + monotonic() - this.#base.monotonicMs);
  };

  /** Compares the clock with the time of the service between a request and its answer. */
  compare(serviceMs: number): void {
    const here = this.now();
    const byMs = serviceMs - here;
    const isOff = Math.abs(byMs) > DIFFERENCE_MS_MAX;
    if (this.#base === null || isOff) this.#base = this.#baseAt(isOff ? serviceMs : here);
    if (isOff) this.#onCorrection(byMs);
  }

  #aheadMs(): number {
    return Math.round(this.now() - this.#clocks.boot());
  }

  #baseAt(timeMs: number): Base {
    const { system, boot, monotonic } = this.#clocks;
    return { timeMs, monotonicMs: monotonic(), bootMs: boot(), systemMs: system() };
  }
}
