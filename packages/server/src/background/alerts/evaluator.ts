import type { App } from '@granary/app/app';
import type { Logger } from '../../process/logging/logger.ts';
import type { SetAsideLog } from '../set-aside-log.ts';
import type { Uptime } from './uptime.ts';

const DEVICES_PER_CALL_MAX = 500;
/**
 * A device is not evaluated again for this long. While it has an alert about silence, or sends readings of the past, each of its
 * messages asks for an evaluation, which would double the number of writes.
 */
const REST_MS = 20;

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
  /** The devices that were evaluated a moment ago. */
  readonly #resting = new Set<number>();
  #working: Promise<void> | null = null;
  #isDraining = false;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  /** A device that is named several times during an evaluation, or soon after it, is evaluated once. */
  wake(deviceNos: readonly number[]): void {
    for (const deviceNo of deviceNos) this.#waiting.add(deviceNo);
    this.retry();
  }

  /** Evaluates again the devices whose evaluation failed. */
  retry(): void {
    if (this.#working !== null || this.#nextDevices().length === 0) return;
    this.#working = this.#evaluateAll().finally(() => {
      this.#working = null;
    });
  }

  /** From now on no device rests. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#resting.clear();
    this.retry();
    await this.#working;
  }

  async #evaluateAll(): Promise<void> {
    const { app, uptime, setAside, logger } = this.#parts;
    for (let deviceNos = this.#nextDevices(); deviceNos.length > 0; deviceNos = this.#nextDevices()) {
      for (const deviceNo of deviceNos) this.#waiting.delete(deviceNo);
      try {
        const receipt = await uptime.during((nowMs) => app.alerts.evaluate({ deviceNos, nowMs }));
        setAside.note(receipt.setAside);
      } catch (error) {
        logger.warn({ err: error }, 'evaluating alerts failed');
        for (const deviceNo of deviceNos) this.#waiting.add(deviceNo);
        return;
      }
      this.#rest(deviceNos);
    }
  }

  #nextDevices(): number[] {
    return [...this.#waiting.difference(this.#resting)].slice(0, DEVICES_PER_CALL_MAX);
  }

  #rest(deviceNos: readonly number[]): void {
    if (this.#isDraining) return;
    for (const deviceNo of deviceNos) this.#resting.add(deviceNo);
    const end = (): void => {
      for (const deviceNo of deviceNos) this.#resting.delete(deviceNo);
      if (!this.#isDraining) this.retry();
    };
    setTimeout(end, REST_MS).unref();
  }
}
