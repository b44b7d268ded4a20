import type { FastifyReply } from 'fastify';

/** The interval at which a wait looks whether another node has stored what it waits for. */
const LOOK_EVERY_MS = 500;

interface Wanted<T> {
  /** The key with which others call `wake`. */
  readonly key: string;
  readonly waitMs: number;
  readonly reply: FastifyReply;
  readonly look: () => Promise<T | undefined>;
}

/** Lets requests wait for each other: a bridge waits for something to do, and people wait for its result. */
export class BridgeWaits {
  readonly #sleeping = new Map<string, Set<() => void>>();
  /** The newest waiting report of each bridge. */
  readonly #reports = new Map<string, symbol>();
  #isEnding = false;

  wake(key: string): void {
    for (const wake of this.#sleeping.get(key) ?? []) wake();
  }

  /** Ends all waits, so that the service can stop. */
  end(): void {
    this.#isEnding = true;
    for (const key of this.#sleeping.keys()) this.wake(key);
  }

  /** Looks until something is found, the time is over, or the caller has left. */
  async until<T>(wanted: Wanted<T>): Promise<T | undefined> {
    return await this.#untilOver(wanted, () => false);
  }

  /** Waits like `until`, for a bridge. Only its newest report waits: earlier ones have lost their caller or are one too many. */
  async untilNextReport<T>(wanted: Wanted<T>): Promise<T | undefined> {
    const { key } = wanted;
    const report = Symbol(key);
    this.#reports.set(key, report);
    this.wake(key);
    try {
      return await this.#untilOver(wanted, () => this.#reports.get(key) !== report);
    } finally {
      if (this.#reports.get(key) === report) this.#reports.delete(key);
    }
  }

  async #untilOver<T>(
    { key, waitMs, reply, look }: Wanted<T>,
    isReplaced: () => boolean,
  ): Promise<T | undefined> {
    const endMs = performance.now() + waitMs;
    for (;;) {
      if (reply.raw.destroyed || isReplaced()) return undefined;
      const found = await look();
      const leftMs = endMs - performance.now();
      if (found !== undefined || leftMs <= 0 || this.#isEnding) return found;
      await this.#sleep(key, Math.min(leftMs, LOOK_EVERY_MS));
    }
  }

  async #sleep(key: string, forMs: number): Promise<void> {
    const sleeping = this.#sleeping.get(key) ?? new Set();
    this.#sleeping.set(key, sleeping);
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        sleeping.delete(wake);
        if (sleeping.size === 0) this.#sleeping.delete(key);
        resolve();
      };
      const timer = setTimeout(wake, forMs);
      sleeping.add(wake);
    });
  }
}
