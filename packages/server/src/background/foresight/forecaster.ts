import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { App } from '@granary/app/app';
import type { ForecastWish, SiloOutcome } from '@granary/app/foresight/forecast-silo';
import { newId } from '@granary/app/ids';
import type { StoreLocation } from '@granary/app/open-reads';
import { PeriodicWork } from '@granary/common/periodic-work';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { isForecastDue } from '@granary/core/foresight/due';
import type { Forecast } from '@granary/core/foresight/types';
import type { Logger } from '../../process/logging/logger.ts';

const ROUND_MS = 10 * SECOND_MS;
/** The lease is renewed in every round; another node takes over some rounds after this one has ended. */
const LEASE_MS = MINUTE_MS;
/** Silos of one look take the main thread some milliseconds, those of one job the other thread some dozens. */
const SILOS_PER_LOOK = 200;
const SILOS_PER_JOB = 16;
const ANSWER_MS_MAX = 10 * SECOND_MS;
const PAUSE_MS = 5;
/** A silo whose forecast fails is not tried again in every round. */
const RETRY_MS = 10 * MINUTE_MS;

export interface ForecastJob {
  readonly id: number;
  readonly deviceNos: readonly number[];
  readonly wish: ForecastWish;
}

export interface ForecastAnswer {
  readonly id: number;
  readonly outcomes: readonly SiloOutcome[];
  readonly failed: readonly { readonly deviceNo: number; readonly reason: string }[];
}

interface ForecasterParts {
  readonly app: Pick<App, 'foresight'>;
  readonly location: StoreLocation;
  readonly timeZone: string;
  readonly logger: Logger;
  readonly now: () => number;
}

/** Makes the forecasts of silos that need a new one, on one node at a time; reading and arithmetic are done in a thread. */
export class Forecaster {
  readonly #parts: ForecasterParts;
  readonly #rounds: PeriodicWork;
  readonly #holder: string;
  readonly #waiting = new Map<number, (answer: ForecastAnswer | Error) => void>();
  readonly #failedAtMs = new Map<number, number>();
  #thread: Worker | null = null;
  #jobs = 0;
  #isStopped = false;

  constructor(parts: ForecasterParts) {
    this.#parts = parts;
    this.#holder = newId('forecaster', parts.now());
    this.#rounds = new PeriodicWork({
      doing: 'making forecasts',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: () => this.#round(),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#rounds.stop();
    const thread = this.#thread;
    this.#thread = null;
    for (const resolve of this.#waiting.values()) resolve(new Error('the service ends'));
    this.#waiting.clear();
    await thread?.terminate();
  }

  /** Looks at once for silos whose forecast is due. */
  wake(): void {
    this.#rounds.wake();
  }

  /** The forecast by what is stored now, with its path; nothing is written. */
  async forecast(deviceNo: number, horizonDays: number): Promise<Forecast> {
    const { outcomes, failed } = await this.#ask([deviceNo], horizonDays);
    const [outcome] = outcomes;
    if (outcome !== undefined) return outcome.forecast;
    const [fault] = failed;
    if (fault !== undefined) throw new Error(`no forecast could be made: ${fault.reason}`);
    throw new Refusal('device_not_found', 'the device does not exist any more');
  }

  async #round(): Promise<void> {
    const due = await this.#dueSilos();
    if (due.length === 0 || !(await this.#takeLease())) return;
    for (let at = 0; at < due.length && !this.#isStopped; at += SILOS_PER_JOB) {
      if (at % (20 * SILOS_PER_JOB) === 0 && at > 0 && !(await this.#takeLease())) return;
      const { outcomes, failed } = await this.#ask(due.slice(at, at + SILOS_PER_JOB), 0);
      const { app, logger, now } = this.#parts;
      for (const { deviceNo, reason } of failed) {
        this.#failedAtMs.set(deviceNo, now());
        logger.warn({ deviceNo, reason }, 'the forecast of a silo could not be made');
      }
      if (outcomes.length > 0) await app.foresight.save({ outcomes, nowMs: now() });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #dueSilos(): Promise<number[]> {
    const { app, now } = this.#parts;
    const nowMs = now();
    const due: number[] = [];
    for (let afterNo = 0; !this.#isStopped; ) {
      const silos = await app.foresight.sweep(afterNo, SILOS_PER_LOOK);
      for (const silo of silos) {
        const failedAtMs = this.#failedAtMs.get(silo.deviceNo) ?? Number.NEGATIVE_INFINITY;
        if (nowMs - failedAtMs >= RETRY_MS && isForecastDue(silo, nowMs)) due.push(silo.deviceNo);
      }
      const last = silos.at(-1);
      if (last === undefined || silos.length < SILOS_PER_LOOK) break;
      afterNo = last.deviceNo;
      await nextTurn();
    }
    return due;
  }

  async #takeLease(): Promise<boolean> {
    const { app, now } = this.#parts;
    const nowMs = now();
    return await app.foresight.takeLease({ holder: this.#holder, nowMs, untilMs: nowMs + LEASE_MS });
  }

  async #ask(deviceNos: readonly number[], horizonDays: number): Promise<ForecastAnswer> {
    const { timeZone, now } = this.#parts;
    const id = ++this.#jobs;
    const wish = { nowMs: now(), timeZone, horizonDays };
    const answered = new Promise<ForecastAnswer | Error>((resolve) => this.#waiting.set(id, resolve));
    this.#threadOf().postMessage({ id, deviceNos, wish } satisfies ForecastJob);
    try {
      const answer = await within(ANSWER_MS_MAX, answered);
      if (answer === LATE) throw new Refusal('storage_unavailable', 'the forecast takes too long');
      if (answer instanceof Error) throw answer;
      return answer;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Started when it is needed first; a new one follows one that has failed. */
  #threadOf(): Worker {
    if (this.#thread !== null) return this.#thread;
    const thread = new Worker(new URL('./forecaster-thread.ts', import.meta.url), {
      workerData: this.#parts.location,
    });
    thread.on('message', (answer: ForecastAnswer) => this.#waiting.get(answer.id)?.(answer));
    thread.on('error', (error) => this.#lost(thread, error));
    thread.on('exit', () => this.#lost(thread, new Error('the thread of forecasts has ended')));
    thread.unref();
    this.#thread = thread;
    return thread;
  }

  #lost(thread: Worker, error: unknown): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    this.#parts.logger.error({ err: error }, 'the thread of forecasts has failed');
    const fault = error instanceof Error ? error : new Error(String(error));
    for (const resolve of this.#waiting.values()) resolve(fault);
  }
}
