import type { SetAside } from '@granary/store/tables/unreadable-row';
import type { Logger } from '../logging/logger.ts';

/** Bounds the memory; what comes beyond it is neither logged nor counted, and the count then shows this limit. */
const NOTED_MAX = 10_000;

/** Keeps count of stored items that cannot be processed, and logs each of them once. */
export class SetAsideLog {
  readonly #logger: Logger;
  readonly #noted = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** How many different items were set aside since the service started. */
  get count(): number {
    return this.#noted.size;
  }

  note(items: readonly SetAside[]): void {
    for (const { kind, id, reason } of items) {
      const name = `${kind} ${id}`;
      if (this.#noted.has(name) || this.#noted.size >= NOTED_MAX) continue;
      this.#noted.add(name);
      this.#logger.error({ kind, id, reason }, 'a stored item cannot be processed and is set aside');
    }
  }
}
