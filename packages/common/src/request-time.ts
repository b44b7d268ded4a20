import { AsyncLocalStorage } from 'node:async_hooks';
import { type LATE, within } from './within.ts';

/** Every request is answered within five seconds; the rest is for a busy machine and for sending the answer. */
export const REQUEST_MS_MAX = 4_000;

/** The time of one request, which all its calls of the storage share. */
export class RequestTime {
  readonly #endsAtMs: number;
  #isAnswered = false;
  /** A write of the request is committed. */
  hasChanged = false;

  constructor(limitMs: number = REQUEST_MS_MAX) {
    this.#endsAtMs = performance.now() + limitMs;
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** What the request has begun may go on, and is no longer limited by it. */
  answered(): void {
    this.#isAnswered = true;
  }
}

const current = new AsyncLocalStorage<RequestTime | null>();

/** The work and everything that it calls belong to the request. */
export const withinRequest = <T>(time: RequestTime, work: () => T): T => current.run(time, work);

/** For work that other requests share, or that must be finished when the request is not waiting any more. */
export const outsideRequest = <T>(work: () => T): T =>
  (current.getStore() ?? null) === null ? work() : current.run(null, work);

/** The time that the present request has left; infinite for other work. */
export function requestLeftMs(): number {
  const time = current.getStore() ?? null;
  return time === null || time.isAnswered ? Number.POSITIVE_INFINITY : time.leftMs;
}

/** Must be called when a write is committed. */
export function noteChange(): void {
  const time = current.getStore() ?? null;
  if (time !== null) time.hasChanged = true;
}

/** Waits for work that goes on without the request; resolves with `LATE` when the time of the request is over. */
export const whileRequestLasts = <T>(work: Promise<T>): Promise<T | typeof LATE> =>
  within(requestLeftMs(), work);
