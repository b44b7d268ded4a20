import type { Pool, PoolClient } from 'pg';
import { storageUnavailable } from '../errors.ts';

/** Calls that may wait for a connection at once; more are refused, so that a frozen server cannot fill the memory. */
const CALLS_PENDING_MAX = 4_096;

/** The server did not answer in time. */
export class TimeLimitError extends Error {
  constructor(limitMs: number) {
    super(`the database did not answer within ${limitMs} ms`);
    this.name = 'TimeLimitError';
  }
}

/**
 * Lends connections of a pool for a limited time. A limit set on the server does not help when the server itself hangs, so
 * the timer is here: when it ends, the connection is destroyed and never used again.
 */
export class Connections {
  readonly #pool: Pool;
  readonly #limitMs: number;
  #pending = 0;

  constructor(pool: Pool, limitMs: number) {
    this.#pool = pool;
    this.#limitMs = limitMs;
  }

  /** The limit covers the wait for a connection and the work on it. */
  async use<T>(work: (client: PoolClient) => Promise<T>, limitMs: number = this.#limitMs): Promise<T> {
    if (this.#pending >= CALLS_PENDING_MAX) throw storageUnavailable('too many calls are waiting');
    this.#pending++;
    const limit = Promise.withResolvers<never>();
    const timer = setTimeout(() => limit.reject(new TimeLimitError(limitMs)), limitMs);
    try {
      const client = await this.#connect(limit.promise);
      return await useOnce(client, work, limit.promise);
    } finally {
      clearTimeout(timer);
      this.#pending--;
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #connect(limit: Promise<never>): Promise<PoolClient> {
    const connecting = this.#pool.connect();
    try {
      return await Promise.race([connecting, limit]);
    } catch (error) {
      connecting.then((late) => late.release()).catch(() => undefined);
      throw error;
    }
  }
}

async function useOnce<T>(
  client: PoolClient,
  work: (client: PoolClient) => Promise<T>,
  limit: Promise<never>,
): Promise<T> {
  // A connection that breaks fails its query as well; without a listener the event would end the process.
  client.on('error', ignore);
  let isTimedOut = false;
  try {
    return await Promise.race([work(client), limit]);
  } catch (error) {
    isTimedOut = error instanceof TimeLimitError;
    throw error;
  } finally {
    client.off('error', ignore);
    // Whatever is not idle may still hold a transaction, or be in the middle of a commit.
    client.release(isTimedOut || client.getTransactionStatus() !== 'I');
  }
}

const ignore = (): void => undefined;
