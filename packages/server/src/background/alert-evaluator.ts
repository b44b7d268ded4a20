import type { App } from '@granary/app/app';
import { SECOND_MS } from '@granary/contract/time';
import type { Logger } from '../process/logging/logger.ts';
import type { SetAsideLog } from './set-aside-log.ts';

/** Without a successful evaluation for this long the service counts as interrupted; the reconciler evaluates far more often. */
const GAP_MS = 5 * SECOND_MS;
const SHARED_EVERY_MS = SECOND_MS;
/** On PostgreSQL the main thread evaluates them in one turn: 50 take about 5 ms, and a stop may wait for it. */
export const DEVICES_PER_CALL_MAX = 50;
/**
 * A device is not evaluated again for this long. While it has an alert about silence, or sends readings of the past, each of its
 * messages asks for an evaluation, which would double the number of writes.
 */
const REST_MS = 20;

interface UptimeParts {
  readonly app: { readonly alerts: Pick<App['alerts'], 'beginObservation' | 'continueObservation'> };
  readonly now: () => number;
  /**
   * Whether this node hears devices that other nodes can hear, too; `null` where devices connect to this node itself, so that it is
   * alone, and they need time to connect again after its start.
   */
  readonly isReceiving: (() => boolean) | null;
}

/**
 * Tracks since when the service has been running without interruption. It starts again after a start, a storage outage or a
 * suspended process, so that silence in between is not attributed to devices. Of several nodes one is enough.
 */
export class Uptime {
  readonly #parts: UptimeParts;
  #observedUntilMs = Number.NEGATIVE_INFINITY;
  #sharedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: UptimeParts) {
    this.#parts = parts;
  }

  /** Wraps every evaluation, because only a successful one proves that the service was running. */
  async during<Result>(evaluation: (nowMs: number) => Promise<Result>): Promise<Result> {
    const nowMs = this.#parts.now();
    const { isReceiving } = this.#parts;
    if (isReceiving !== null) await this.#share(nowMs, isReceiving());
    else if (nowMs - this.#observedUntilMs > GAP_MS) await this.begin();
    const result = await evaluation(nowMs);
    this.#observedUntilMs = Math.max(this.#observedUntilMs, nowMs);
    return result;
  }

  async begin(): Promise<void> {
    const { app, now, isReceiving } = this.#parts;
    const nowMs = now();
    if (isReceiving === null) await app.alerts.beginObservation(nowMs);
    else await this.#share(nowMs, false);
    this.#observedUntilMs = nowMs;
  }

  async #share(nowMs: number, isReceiving: boolean): Promise<void> {
    if (Math.abs(nowMs - this.#sharedAtMs) < SHARED_EVERY_MS) return;
    await this.#parts.app.alerts.continueObservation({ nowMs, gapMs: GAP_MS, isReceiving });
    this.#sharedAtMs = nowMs;
  }
}

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

  /** Ends the pause of all devices, evaluates the failed ones again and waits; from now on no device pauses. */
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
