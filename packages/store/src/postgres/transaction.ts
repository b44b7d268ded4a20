import { codeOf } from '../errors.ts';
import type { Value } from '../sql.ts';
import type { Connections } from './connections.ts';
import { queueOf, type StatementQueue, type StatementResult, type Statements } from './statement-queue.ts';

/** The error that the answer to COMMIT is missing, so the server may or may not have committed. */
export class OutcomeUnknownError extends Error {
  constructor(cause: unknown) {
    super('the database did not answer to a commit', { cause });
    this.name = 'OutcomeUnknownError';
  }
}

/**
 * Runs the work in one transaction on its own connection. The first statements of the work are sent with BEGIN. Statements that
 * the work did not wait for are sent with COMMIT; if one of them fails, the server ignores the COMMIT.
 */
export async function inTransaction<T>(
  connections: Connections,
  work: (statements: Statements) => Promise<T>,
  limitMs?: number,
): Promise<T> {
  let isCommitting = false;
  try {
    return await connections.use(async (client) => {
      const queue = queueOf(client);
      const statements = new StatementsOfTransaction(queue);
      try {
        queue.takeFailure();
        const result = await work(statements);
        statements.end();
        if (!statements.hasBegun) return result;
        isCommitting = true;
        const { command } = await queue.run('COMMIT');
        // The server confirms COMMIT with another word if a statement had failed and the work continued.
        if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
        return result;
      } catch (error) {
        statements.end();
        const failure = queue.takeFailure();
        // One of the waiting statements could fail, and the server would then ignore the ROLLBACK after it.
        queue.discard(error);
        // A connection that cannot roll back is not idle and is closed.
        await queue.run('ROLLBACK').catch(() => undefined);
        throw failure === null ? error : failure.error;
      }
    }, limitMs);
  } catch (error) {
    throw isCommitting && !isAnswer(error) ? new OutcomeUnknownError(error) : error;
  }
}

/** Refuses statements that come after the end: they would belong to no transaction, or to that of another write. */
class StatementsOfTransaction implements Statements {
  readonly #queue: StatementQueue;
  #hasBegun = false;
  #hasEnded = false;

  constructor(queue: StatementQueue) {
    this.#queue = queue;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  run(text: string, values?: readonly Value[]): Promise<StatementResult> {
    this.#begin();
    return this.#queue.run(text, values);
  }

  script(text: string): Promise<StatementResult> {
    this.#begin();
    return this.#queue.script(text);
  }

  post(text: string, values?: readonly Value[]): void {
    this.#begin();
    this.#queue.post(text, values);
  }

  end(): void {
    this.#hasEnded = true;
  }

  #begin(): void {
    if (this.#hasEnded) throw new Error('the transaction of this statement has ended');
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#queue.post('BEGIN');
  }
}

const SQL_STATE = /^[0-9A-Z]{5}$/;
/** The codes of a lost connection and of a shutdown of the server, possibly after the commit. */
const SQL_STATE_OF_BROKEN_CONNECTION = /^(08|57P)/;

/** Returns whether the server reported that the commit failed. */
function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && SQL_STATE.test(code) && !SQL_STATE_OF_BROKEN_CONNECTION.test(code);
}
