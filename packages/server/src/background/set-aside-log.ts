import type { SetAside } from '@granary/app/unreadable-row';
import type { Logger } from '../process/logging/logger.ts';

/** Limits the memory: further items are neither logged nor counted, and the count stays at this limit. */
const NOTED_MAX = 10_000;

/** Counts stored items that cannot be processed, and logs each of them once. */
export class SetAsideLog {
  readonly #logger: Logger;
  readonly #noted = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The number of different items set aside since the start of the service. */
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
