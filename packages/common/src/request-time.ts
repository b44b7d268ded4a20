import { type LATE, within } from './within.ts';

/**
 * The limit for the work of a request. Every request is answered within five seconds; the rest is for a busy machine and for
 * sending the answer.
 */
export const REQUEST_MS_MAX = 4_000;

/**
 * The time of one request, which is given to each call that the request waits for. Work that requests share, or that must be finished
 * even if the request no longer waits, is given none.
 */
export class RequestTime {
  readonly #endsAtMs: number;
  #isAnswered = false;
  /** True if a write of the request is committed. */
  hasChanged = false;

  constructor(limitMs: number = REQUEST_MS_MAX) {
    this.#endsAtMs = performance.now() + limitMs;
  }

  /** The time that a call may still take; infinite after the answer, because work that the request has begun may continue. */
  get leftMs(): number {
    return this.#isAnswered ? Number.POSITIVE_INFINITY : this.leftToAnswerMs;
  }

  get leftToAnswerMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  /** Ends the limit. */
  answered(): void {
    this.#isAnswered = true;
  }
}

/** The time that is left for a call; infinite for a call that belongs to no request. */
export const leftMsOf = (time: RequestTime | null): number => time?.leftMs ?? Number.POSITIVE_INFINITY;

/** Waits for work that continues without the request; resolves with `LATE` when the time of the request is over. */
export const whileRequestLasts = <T>(time: RequestTime | null, work: Promise<T>): Promise<T | typeof LATE> =>
  within(leftMsOf(time), work);
