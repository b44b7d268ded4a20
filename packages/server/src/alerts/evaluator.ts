import type { App } from '@granary/app/app';
import type { Logger } from '../logging/logger.ts';
import type { SetAsideLog } from '../workers/set-aside-log.ts';
import type { Observation } from './observation.ts';

const DEVICES_PER_CALL_MAX = 500;

interface EvaluatorParts {
  readonly app: App;
  readonly observation: Observation;
  readonly setAside: SetAsideLog;
  readonly logger: Logger;
}

/** Has the alerts of devices evaluated soon after something happened to them, and never holds up what happened. */
export class AlertEvaluator {
  readonly #parts: EvaluatorParts;
  readonly #waiting = new Set<number>();
  #working: Promise<void> | null = null;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  /** However often a device is named while an evaluation runs, it is evaluated once afterwards. */
  wake(deviceNos: readonly number[]): void {
    for (const deviceNo of deviceNos) this.#waiting.add(deviceNo);
    this.retry();
  }

  /** Takes up again what failed. */
  retry(): void {
    if (this.#waiting.size === 0) return;
    this.#working ??= this.#evaluateAll().finally(() => {
      this.#working = null;
    });
  }

  async drain(): Promise<void> {
    await this.#working;
  }

  async #evaluateAll(): Promise<void> {
    const { app, observation, setAside, logger } = this.#parts;
    while (this.#waiting.size > 0) {
      const deviceNos = [...this.#waiting].slice(0, DEVICES_PER_CALL_MAX);
      for (const deviceNo of deviceNos) this.#waiting.delete(deviceNo);
      try {
        const receipt = await observation.during((nowMs) => app.alerts.evaluate({ deviceNos, nowMs }));
        setAside.note(receipt.setAside);
      } catch (error) {
        logger.warn({ err: error }, 'evaluating alerts failed');
        for (const deviceNo of deviceNos) this.#waiting.add(deviceNo);
        return;
      }
    }
  }
}
