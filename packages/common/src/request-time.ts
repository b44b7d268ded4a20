import { AsyncLocalStorage } from 'node:async_hooks';
import { type LATE, within } from './within.ts';

/**
 * The limit for the work of a request. Every request is answered within five seconds; the rest is for a busy machine and for
 * sending the answer.
 */
export const REQUEST_MS_MAX = 4_000;

/** The time of one request, which all its calls to the storage share. */
export class RequestTime {
  readonly #endsAtMs: number;
  #isAnswered = false;
  /** True if a write of the request is committed. */
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

  /** Ends the limit: work that the request has begun may continue. */
  answered(): void {
    this.#isAnswered = true;
  }
}

const current = new AsyncLocalStorage<RequestTime | null>();

/** Runs work for a request; everything that it calls belongs to the request. */
export const withinRequest = <T>(time: RequestTime, work: () => T): T => current.run(time, work);

/** Runs work that other requests share, or that must be finished even if the request no longer waits. */
export const outsideRequest = <T>(work: () => T): T =>
  (current.getStore() ?? null) === null ? work() : current.run(null, work);

/** Returns the time that the present request has left; it is infinite for other work. */
export function requestLeftMs(): number {
  const time = current.getStore() ?? null;
  return time === null || time.isAnswered ? Number.POSITIVE_INFINITY : time.leftMs;
}

/** Must be called when a write is committed. */
export function noteChange(): void {
  const time = current.getStore() ?? null;
  if (time !== null) time.hasChanged = true;
}

/** Waits for work that continues without the request; resolves with `LATE` when the time of the request is over. */
export const whileRequestLasts = <T>(work: Promise<T>): Promise<T | typeof LATE> =>
  within(requestLeftMs(), work);
