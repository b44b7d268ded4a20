import { Pool } from 'pg';
import { CALL_MS_MAX, type SeparateConnection, WAIT_MS_MAX } from '../engine.ts';
import type { Sql } from '../sql.ts';
import { Connections } from './connections.ts';
import { translate } from './errors.ts';
import { PostgresSql } from './sql.ts';
import { queueOf } from './statement-queue.ts';

export class PostgresConnection implements SeparateConnection {
  readonly #connections: Connections;

  constructor(url: string) {
    const pool = new Pool({
      connectionString: url,
      max: 1,
      keepAlive: true,
      connectionTimeoutMillis: CALL_MS_MAX,
      lock_timeout: WAIT_MS_MAX,
      statement_timeout: CALL_MS_MAX,
      idle_in_transaction_session_timeout: CALL_MS_MAX,
    });
    // A connection that is lost while idle is replaced at the next use; without a listener the event would end the process.
    pool.on('error', () => undefined);
    this.#connections = new Connections(pool, CALL_MS_MAX);
  }

  async use<T>(work: (sql: Sql) => Promise<T>, limitMs?: number): Promise<T> {
    try {
      return await this.#connections.use((client) => work(new PostgresSql(queueOf(client))), limitMs);
    } catch (error) {
      throw translate(error);
    }
  }

  finishSoon(): void {
    this.#connections.finishSoon();
  }

  close(): Promise<void> {
    return this.#connections.end();
  }
}
