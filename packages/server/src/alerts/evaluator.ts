import type { App } from '@granary/app/app';
import type { Logger } from '../logging/logger.ts';
import type { SetAsideLog } from '../workers/set-aside-log.ts';
import type { Uptime } from './uptime.ts';

const DEVICES_PER_CALL_MAX = 500;

interface EvaluatorParts {
  readonly app: App;
  readonly uptime: Uptime;
  readonly setAside: SetAsideLog;
  readonly logger: Logger;
}

/** Evaluates the alerts of devices in the background, soon after a change, so that the change itself is not delayed. */
export class AlertEvaluator {
  readonly #parts: EvaluatorParts;
  readonly #waiting = new Set<number>();
  #working: Promise<void> | null = null;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  /** A device that is named several times during an evaluation is evaluated once afterwards. */
  wake(deviceNos: readonly number[]): void {
    for (const deviceNo of deviceNos) this.#waiting.add(deviceNo);
    this.retry();
  }

  /** Evaluates again the devices whose evaluation failed. */
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
    const { app, uptime, setAside, logger } = this.#parts;
    while (this.#waiting.size > 0) {
      const deviceNos = [...this.#waiting].slice(0, DEVICES_PER_CALL_MAX);
      for (const deviceNo of deviceNos) this.#waiting.delete(deviceNo);
      try {
        const receipt = await uptime.during((nowMs) => app.alerts.evaluate({ deviceNos, nowMs }));
        setAside.note(receipt.setAside);
      } catch (error) {
        logger.warn({ err: error }, 'evaluating alerts failed');
        for (const deviceNo of deviceNos) this.#waiting.add(deviceNo);
        return;
      }
    }
  }
}
