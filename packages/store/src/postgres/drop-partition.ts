import type { StoredDay } from './partitions.ts';
import type { StatementQueue } from './statement-queue.ts';

/** An arbitrary advisory lock number, so that only one node at a time drops a partition. */
const DROP_LOCK = 7_281_540_013;

/** How long to wait for the transactions that may still read the day. */
const DETACH_MS_MAX = 2_000;
/** New days cannot be attached while an interrupted detachment is being finished, so it is tried for a short time only. */
const FINISH_MS_MAX = 1_000;

/**
 * Drops a day. Detaching it concurrently waits for the transactions that may read it, such as a dump, and holds no lock meanwhile. If
 * the wait is too long, the day stays half detached, invisible to new statements, and a later attempt finishes it. Not possible inside a
 * transaction.
 */
export async function dropPartition(
  statements: StatementQueue,
  { name, isAttached, isHalfDetached }: StoredDay,
): Promise<void> {
  const { rows } = await statements.script(`SELECT pg_try_advisory_lock(${DROP_LOCK})`);
  if (rows[0]?.[0] !== true) throw new Error('another node drops a partition');
  try {
    if (isHalfDetached) {
      await limited(statements, FINISH_MS_MAX, `ALTER TABLE readings DETACH PARTITION ${name} FINALIZE`);
    } else if (isAttached) {
      await limited(statements, DETACH_MS_MAX, `ALTER TABLE readings DETACH PARTITION ${name} CONCURRENTLY`);
    }
    await limited(statements, FINISH_MS_MAX, `DROP TABLE IF EXISTS ${name}`);
  } finally {
    await statements.script(
      `RESET statement_timeout; RESET lock_timeout; SELECT pg_advisory_unlock(${DROP_LOCK})`,
    );
  }
}

/** The limit of a lock would also end the wait for transactions, which the limit of the statement does. */
async function limited(statements: StatementQueue, limitMs: number, text: string): Promise<void> {
  await statements.script(`SET lock_timeout = 0; SET statement_timeout = ${limitMs}`);
  await statements.script(text);
}
