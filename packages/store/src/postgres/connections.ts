import type { Pool, PoolClient } from 'pg';
import { FINISH_MS_MAX } from '../engine.ts';
import { storageUnavailable } from '../errors.ts';

/** Calls that may wait for a connection; more are refused, so that a frozen server cannot fill the memory. */
const CALLS_PENDING_MAX = 4_096;

/** The error that the server did not answer in time. */
export class TimeLimitError extends Error {
  constructor(limitMs: number) {
    super(`the database did not answer within ${Math.round(limitMs)} ms`);
    this.name = 'TimeLimitError';
  }
}

/**
 * Provides connections of a pool for a limited time. A limit set on the server does not help when the server itself hangs, so
 * the timer is in the client: when it ends, the connection is closed and never used again.
 */
export class Connections {
  readonly #pool: Pool;
  readonly #limitMs: number;
  #pending = 0;
  #finishAtMs = Number.POSITIVE_INFINITY;

  constructor(pool: Pool, limitMs: number) {
    this.#pool = pool;
    this.#limitMs = limitMs;
  }

  /**
   * The limit covers the wait for a connection and the work on it. There is one promise and one timer, because every query
   * pays for them.
   */
  use<T>(work: (client: PoolClient) => Promise<T>, wantedMs: number = this.#limitMs): Promise<T> {
    const limitMs = Math.min(wantedMs, this.#finishAtMs - performance.now());
    // A connection without any time left would only be closed.
    if (limitMs <= 0) return Promise.reject(new TimeLimitError(0));
    if (this.#pending >= CALLS_PENDING_MAX) {
      return Promise.reject(storageUnavailable('too many calls are waiting'));
    }
    this.#pending++;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let lent: PoolClient | null = null;
    let isOver = false;
    const giveBack = (isTimedOut: boolean): boolean => {
      if (isOver) return false;
      isOver = true;
      clearTimeout(timer);
      this.#pending--;
      lent?.off('error', ignore);
      // A connection that is not idle may have an open transaction, or be in the middle of a commit.
      lent?.release(isTimedOut || lent.getTransactionStatus() !== 'I');
      return true;
    };
    const fail = (error: unknown, isTimedOut: boolean): void => {
      if (giveBack(isTimedOut)) reject(error);
    };
    const timer = setTimeout(() => fail(new TimeLimitError(limitMs), true), limitMs);
    this.#pool.connect((error, client) => {
      if (client === undefined) return fail(error, false);
      if (isOver) return client.release();
      lent = client;
      // A lost connection also fails its query; without a listener the event would end the process.
      client.on('error', ignore);
      work(client).then(
        (result) => {
          if (giveBack(false)) resolve(result);
        },
        (failure: unknown) => fail(failure, false),
      );
    });
    return promise;
  }

  /** Limits the calls that begin from now on. */
  finishSoon(): void {
    this.#finishAtMs = performance.now() + FINISH_MS_MAX;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

const ignore = (): void => undefined;
