import type { App } from '@granary/app/app';
import { PeriodicWork } from '@granary/common/periodic-work';
import { SECOND_MS } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';

const ROUND_MS = SECOND_MS;
/** Rows are removed in small steps with pauses, so that new readings are not delayed. */
const ROWS_PER_STEP_MAX = 5_000;
const PAUSE_MS = 20;

interface PurgerParts {
  readonly app: App;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Removes the rows of devices that are being purged; what a step has done is stored with it, so any node continues. */
export class Purger {
  readonly #parts: PurgerParts;
  readonly #rounds: PeriodicWork;

  constructor(parts: PurgerParts) {
    this.#parts = parts;
    const { logger } = parts;
    this.#rounds = new PeriodicWork({
      doing: 'purging a device',
      everyMs: ROUND_MS,
      logger,
      run: () => this.#purge(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #purge(): Promise<void> {
    const { app, now } = this.#parts;
    while (!this.#rounds.isStopped && (await app.devices.isPurgeDue(now()))) {
      const isPurging = await app.devices.purgeStep({ nowMs: now(), rowsMax: ROWS_PER_STEP_MAX });
      if (!isPurging) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
