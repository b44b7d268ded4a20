import type { PoolClient } from 'pg';
import { codeOf } from '../errors.ts';
import type { Connections } from './connections.ts';

/** Answered means on disk, whatever the server's own setting. */
export const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on';

/** The answer to COMMIT never came: the server may have carried it out or not. */
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

/** Runs the work in one transaction on a connection of its own. */
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
      // A connection that cannot roll back is not idle and is destroyed.
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
/** The connection broke or the server was shut down, perhaps after it had committed. */
const SQL_STATE_OF_BROKEN_CONNECTION = /^(08|57P)/;

/** The server itself said that the commit failed. */
function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && SQL_STATE.test(code) && !SQL_STATE_OF_BROKEN_CONNECTION.test(code);
}
