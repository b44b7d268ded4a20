import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { App } from '@granary/app/app';
import type { FailedSilo, ForecastWish, SiloOutcome } from '@granary/app/foresight/forecast-silo';
import type { DueSilos } from '@granary/app/foresight/foresight';
import { newId } from '@granary/app/ids';
import type { StoreLocation } from '@granary/app/open-reads';
import { PeriodicWork } from '@granary/common/periodic-work';
import { LATE, within } from '@granary/common/within';
import { Refusal } from '@granary/contract/errors';
import { MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import type { Forecast } from '@granary/core/foresight/types';
import type { Logger } from '../../process/logging/logger.ts';

const ROUND_MS = 10 * SECOND_MS;
/** The lease is renewed in every round; another node takes over some rounds after this one has ended. */
const LEASE_MS = MINUTE_MS;
/** The number of silos that are looked at in one turn of the main thread. */
const SILOS_PER_LOOK = 100;
/** A person who asks for a forecast waits for one job at most. */
const SILOS_PER_JOB = 16;
/** An idle thread is ended after this time: it takes 30 MiB and more, and on most sites silos are due once an hour. */
const IDLE_THREAD_MS_MAX = 30 * SECOND_MS;
const JOBS_PER_LEASE = 20;
const ANSWER_MS_MAX = 10 * SECOND_MS;
/** Nobody waits for a round: on a busy machine it takes its time, and to ask again would make the same forecasts twice. */
const ROUND_ANSWER_MS_MAX = MINUTE_MS;
const PAUSE_MS = 5;
/** The limit makes V8 free the garbage of a job at once; without it the memory of the thread grows by half. */
const YOUNG_MB = 4;
/** A silo whose forecast fails is not tried again in every round. */
const RETRY_MS = 10 * MINUTE_MS;

/** A job of the thread. */
export interface Job {
  readonly id: number;
  readonly deviceNos: readonly number[];
  readonly wish: ForecastWish;
}

interface JobAnswer {
  readonly outcomes: readonly SiloOutcome[];
  readonly failed: readonly FailedSilo[];
}

/** A message of the thread about a job. */
export type JobMessage = { readonly id: number } & (
  | { readonly answer: JobAnswer }
  | { readonly fault: string }
);

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
  readonly #waiting = new Map<number, (answer: JobAnswer | Error) => void>();
  readonly #failedAtMs = new Map<number, number>();
  #thread: Worker | null = null;
  #asked = 0;
  #answeredAtMs = 0;
  #isStopped = false;

  constructor(parts: ForecasterParts) {
    this.#parts = parts;
    this.#holder = newId('forecaster', parts.now());
    this.#rounds = new PeriodicWork({
      doing: 'making forecasts',
      everyMs: ROUND_MS,
      logger: parts.logger,
      run: async () => {
        await this.#round();
        await this.#endIdleThread();
      },
    });
  }

  start(): void {
    this.#rounds.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#rounds.stop();
    for (const resolve of this.#waiting.values()) resolve(new Error('the service ends'));
    this.#waiting.clear();
    await this.#endThread();
  }

  /** Looks at once for silos whose forecast is due. */
  wake(): void {
    this.#rounds.wake();
  }

  /** Makes the forecast from what is stored now, with its path; nothing is written. */
  async forecast(deviceNo: number, horizonDays: number): Promise<Forecast> {
    const { outcomes, failed } = await this.#make([deviceNo], horizonDays, ANSWER_MS_MAX);
    const [outcome] = outcomes;
    if (outcome !== undefined) return outcome.forecast;
    const [fault] = failed;
    if (fault !== undefined) throw new Error(`no forecast could be made: ${fault.reason}`);
    throw new Refusal('device_not_found', 'the device does not exist any more');
  }

  async #round(): Promise<void> {
    for (const [index, job] of (await this.#jobs()).entries()) {
      if (this.#isStopped) return;
      if (index % JOBS_PER_LEASE === 0 && !(await this.#takeLease())) return;
      const { outcomes, failed } = await this.#make(job, 0, ROUND_ANSWER_MS_MAX);
      const { app, logger, now } = this.#parts;
      for (const { deviceNo, reason } of failed) {
        this.#failedAtMs.set(deviceNo, now());
        logger.warn({ deviceNo, reason }, 'the forecast of a silo could not be made');
      }
      if (outcomes.length > 0) await app.foresight.save({ outcomes, nowMs: now() });
      await pause(PAUSE_MS);
    }
  }

  async #endIdleThread(): Promise<void> {
    const idleMs = performance.now() - this.#answeredAtMs;
    if (this.#waiting.size === 0 && idleMs >= IDLE_THREAD_MS_MAX) await this.#endThread();
  }

  /** The silos that are due; those with many days come last and alone, because the main thread passes their rows on. */
  async #jobs(): Promise<number[][]> {
    const { app } = this.#parts;
    const nowMs = this.#parts.now();
    const isTried = (deviceNo: number): boolean =>
      nowMs - (this.#failedAtMs.get(deviceNo) ?? -RETRY_MS) >= RETRY_MS;
    const due: number[] = [];
    const long: number[] = [];
    for (let afterNo: number | null = 0; afterNo !== null && !this.#isStopped; ) {
      const found: DueSilos = await app.foresight.due({ afterNo, limit: SILOS_PER_LOOK, nowMs });
      due.push(...found.due.filter(isTried));
      long.push(...found.long.filter(isTried));
      afterNo = found.lastNo;
      await nextTurn();
    }
    const jobs: number[][] = [];
    for (let at = 0; at < due.length; at += SILOS_PER_JOB) jobs.push(due.slice(at, at + SILOS_PER_JOB));
    return [...jobs, ...long.map((deviceNo) => [deviceNo])];
  }

  async #takeLease(): Promise<boolean> {
    const { app, now } = this.#parts;
    const nowMs = now();
    return await app.foresight.takeLease({ holder: this.#holder, nowMs, untilMs: nowMs + LEASE_MS });
  }

  async #make(deviceNos: readonly number[], horizonDays: number, limitMs: number): Promise<JobAnswer> {
    const { timeZone, now } = this.#parts;
    const wish = { nowMs: now(), timeZone, horizonDays };
    const id = ++this.#asked;
    const answered = new Promise<JobAnswer | Error>((resolve) => this.#waiting.set(id, resolve));
    this.#threadOf().postMessage({ id, deviceNos, wish } satisfies Job);
    try {
      const answer = await within(limitMs, answered);
      if (answer === LATE) throw new Refusal('storage_unavailable', 'the forecast takes too long');
      if (answer instanceof Error) throw answer;
      return answer;
    } finally {
      this.#waiting.delete(id);
      this.#answeredAtMs = performance.now();
    }
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  /** The thread is started when it is needed; after one has failed, a new one is started. */
  #threadOf(): Worker {
    if (this.#thread !== null) return this.#thread;
    const thread = new Worker(new URL('./forecaster-thread.ts', import.meta.url), {
      workerData: this.#parts.location,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    thread.on('message', (message: JobMessage) =>
      this.#waiting.get(message.id)?.('answer' in message ? message.answer : new Error(message.fault)),
    );
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
