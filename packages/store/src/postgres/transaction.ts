import type { PoolClient } from 'pg';
import { codeOf } from '../errors.ts';
import type { Connections } from './connections.ts';

/** A confirmed commit must be on disk, whatever the setting of the server. */
export const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on';

/** The answer to COMMIT is missing, so the server may or may not have committed. */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super('the database did not answer to a commit', { cause });
    this.name = 'OutcomeUnknownError';
  }
}

export interface TransactionOptions {
  readonly limitMs?: number;
  readonly begin?: string;
}

/** Runs the work in one transaction on its own connection. */
export async function inTransaction<T>(
  connections: Connections,
  work: (client: PoolClient) => Promise<T>,
  { limitMs, begin = BEGIN }: TransactionOptions = {},
): Promise<T> {
  let isCommitting = false;
  const transaction = async (client: PoolClient): Promise<T> => {
    try {
      await client.query(begin);
      const result = await work(client);
      isCommitting = true;
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // A connection that cannot roll back is not idle and is closed.
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  };
  try {
    return await connections.use(transaction, limitMs);
  } catch (error) {
    throw isCommitting && !isAnswer(error) ? new OutcomeUnknownError(error) : error;
  }
}

const SQL_STATE = /^[0-9A-Z]{5}$/;
/** The connection was lost or the server was shut down, possibly after the commit. */
const SQL_STATE_OF_BROKEN_CONNECTION = /^(08|57P)/;

/** The server reported that the commit failed. */
function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && SQL_STATE.test(code) && !SQL_STATE_OF_BROKEN_CONNECTION.test(code);
}
