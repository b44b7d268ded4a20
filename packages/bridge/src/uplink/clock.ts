import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { DIFFERENCE_MS_MAX } from './message.ts';

/** The clocks of the machine, which tests replace. */
export interface MachineClocks {
  /** Can be set, and may be wrong. */
  readonly system: () => number;
  /** Since the machine was started, also while it slept; the same for all processes, and coarse. */
  readonly boot: () => number;
  /** Exact and never set, and stands still while the machine sleeps. */
  readonly monotonic: () => number;
}

const CLOCKS: MachineClocks = {
  system: Date.now,
  boot: () => uptime() * 1_000,
  monotonic: () => performance.now(),
};

/** `null` where the system does not say it. */
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
 * The time of readings. Until the service has told its own it is the clock of the machine; from then on it runs by itself, so that a
 * clock that is set, or that was wrong at the start, moves no reading to another time.
 */
export class BridgeClock {
  readonly #clocks: MachineClocks;
  readonly #onCorrection: (byMs: number) => void;
  #base: Base | null = null;

  constructor(onCorrection: (byMs: number) => void, clocks: Partial<MachineClocks> = {}) {
    this.#onCorrection = onCorrection;
    this.#clocks = { ...CLOCKS, ...clocks };
  }

  /** Whether the service has told its time since the start. */
  get isConfirmed(): boolean {
    return this.#base !== null;
  }

  /** How far the time of readings is ahead of the clock of this boot; `null` once, or until, the service has confirmed it. */
  readonly unconfirmedAheadMs = (): number | null => (this.#base === null ? this.#aheadMs() : null);
  readonly confirmedAheadMs = (): number | null => (this.#base === null ? null : this.#aheadMs());

  readonly now = (): number => {
    const { system, monotonic } = this.#clocks;
    if (this.#base === null) return system();
    const elapsedMs = monotonic() - this.#base.monotonicMs;
    // The clock of the machine was set, or the machine has slept, and only the clock of the boot knows which.
    if (Math.abs(system() - this.#base.systemMs - elapsedMs) > DIFFERENCE_MS_MAX)
      this.#base = this.#baseAt(this.#base.timeMs + this.#clocks.boot() - this.#base.bootMs);
    return Math.round(this.#base.timeMs + monotonic() - this.#base.monotonicMs);
  };

  /** What the service said its time was, between the request and its answer. */
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
