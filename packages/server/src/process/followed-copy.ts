import { setImmediate } from 'node:timers/promises';
import { PeriodicWork } from '@granary/common/periodic-work';
import type { Logger } from './logging/logger.ts';

/** How soon a read that failed is repeated. */
const AGAIN_MS = 1_000;
/** When more rows than this have changed, everything is read. */
const CHANGED_MAX = 10_000;
const ROWS_PER_READ = 500;

interface CopyParts {
  /** Completes the sentence "… failed" in the log. */
  readonly doing: string;
  /** How often everything is read, because a change may not have been reported. */
  readonly allEveryMs: number;
  readonly readAll: () => Promise<void>;
  readonly readChanged: (ids: readonly string[]) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Keeps rows in memory that a node must know even while the storage does not answer. It reads all rows before the node serves requests,
 * and changed rows as soon as a change is reported. One read runs at a time and begins after the report, so the newest state wins.
 */
export class FollowedCopy {
  readonly #parts: CopyParts;
  readonly #work: PeriodicWork;
  readonly #changed = new Set<string>();
  #areAllDue = true;
  #allReadAtMs = 0;

  constructor(parts: CopyParts) {
    this.#parts = parts;
    const { doing, logger } = parts;
    this.#work = new PeriodicWork({ doing, everyMs: AGAIN_MS, logger, run: () => this.#run() });
  }

  async start(): Promise<void> {
    await this.#run();
    this.#work.start();
  }

  async stop(): Promise<void> {
    await this.#work.stop();
  }

  changed(ids: readonly string[]): void {
    for (const id of ids) this.#changed.add(id);
    if (this.#changed.size > CHANGED_MAX) this.allChanged();
    else if (ids.length > 0) this.#work.wake();
  }

  /** Called when changes may not have been reported. */
  allChanged(): void {
    this.#areAllDue = true;
    this.#work.wake();
  }

  async #run(): Promise<void> {
    const { readAll, readChanged, allEveryMs } = this.#parts;
    const ids = [...this.#changed];
    this.#changed.clear();
    const startedAtMs = performance.now();
    if (!this.#areAllDue && startedAtMs - this.#allReadAtMs < allEveryMs) {
      if (ids.length === 0) return;
      try {
        return await readChanged(ids);
      } catch (error) {
        for (const id of ids) this.#changed.add(id);
        throw error;
      }
    }
    this.#areAllDue = false;
    try {
      await readAll();
      this.#allReadAtMs = startedAtMs;
    } catch (error) {
      this.#areAllDue = true;
      throw error;
    }
  }
}

/** Reads all rows in parts, between which other work runs; `next` gets the last row of the part before and returns at most `limit` rows. */
export async function readInParts<Row>(
  next: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
  take: (row: Row) => void,
): Promise<void> {
  let last: Row | undefined;
  for (;;) {
    const rows = await next(last, ROWS_PER_READ);
    for (const row of rows) take(row);
    last = rows.at(-1);
    if (rows.length < ROWS_PER_READ) return;
    await setImmediate();
  }
}
