import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import { isStorageFault } from '@granary/store/errors';
import type { IngestCounters } from './counters.ts';

/** Further messages are refused, which closes their connection; the devices send them again. */
const TASKS_MAX = 20_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2 * SECOND_MS;
/**
 * A call to the storage fails after some seconds, even if it has only waited for other calls. Thousands of calls at once after an
 * outage would therefore all fail, and again at each attempt.
 */
const RUNNING_MAX = 32;
/** The number of attempts grows quickly after an outage, and stays near what a storage that is full of work accepts. */
const RELEASED_PER_SUCCESS = 2;

/** Lets a limited number of tasks run at a time; the others wait in their order, so that each has the storage to itself soon after it begins. */
export class RunningLimit {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

type Task<Result> = () => Promise<Result>;

/**
 * Runs the tasks of each device one after the other, in their order of arrival, and tasks of some devices at the same time. A task
 * that fails because the storage is not available is tried again; during an outage only one task at a time tries, and each success
 * lets two more try.
 */
export class DeviceQueue {
  readonly #counters: IngestCounters;
  readonly #limit = new RunningLimit(RUNNING_MAX);
  readonly #lastOfDevice = new Map<number, Promise<unknown>>();
  /** Tasks that wait for their next attempt. */
  readonly #waiting: (() => void)[] = [];
  #taskCount = 0;
  #retryMs = RETRY_MS_MIN;
  #timer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(counters: IngestCounters) {
    this.#counters = counters;
  }

  async run<Result>(deviceNo: number, task: Task<Result>): Promise<Result> {
    if (this.#taskCount >= TASKS_MAX) {
      this.#counters.refusedWhenFull++;
      throw new Refusal('ingest_busy', 'too many messages are waiting to be processed');
    }
    const previous = this.#lastOfDevice.get(deviceNo) ?? Promise.resolve();
    const own = previous.then(() => this.#runUntilStored(task));
    const ended = own.catch(() => undefined);
    this.#lastOfDevice.set(deviceNo, ended);
    this.#taskCount++;
    try {
      return await own;
    } finally {
      this.#taskCount--;
      if (this.#lastOfDevice.get(deviceNo) === ended) this.#lastOfDevice.delete(deviceNo);
    }
  }

  /** Fails all tasks that wait for the storage. */
  stop(): void {
    this.#isStopped = true;
    this.#release(this.#waiting.length);
  }

  async #runUntilStored<Result>(task: Task<Result>): Promise<Result> {
    for (;;) {
      try {
        const result = await this.#limit.run(task);
        this.#release(RELEASED_PER_SUCCESS);
        return result;
      } catch (error) {
        if (!isStorageFault(error) || this.#isStopped) throw error;
        this.#counters.storageFaults++;
      }
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#planAttempt();
      });
    }
  }

  #planAttempt(): void {
    if (this.#timer !== null || this.#waiting.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX);
      this.#waiting.shift()?.();
    }, this.#retryMs);
  }

  #release(count: number): void {
    if (this.#waiting.length === 0) return;
    this.#retryMs = RETRY_MS_MIN;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const resume of this.#waiting.splice(0, count)) resume();
    this.#planAttempt();
  }
}
