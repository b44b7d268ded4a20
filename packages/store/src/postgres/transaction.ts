import type { Pool, PoolClient } from 'pg';

/** Answered means on disk, whatever the server's own setting. */
export const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on';

/** Runs the work in one transaction on a connection of its own. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  client.on('error', leaveToQuery);
  let isClean = false;
  try {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query('COMMIT');
    isClean = true;
    return result;
  } catch (error) {
    isClean = await rollBack(client);
    throw error;
  } finally {
    client.off('error', leaveToQuery);
    client.release(!isClean);
  }
}

/** A connection that breaks fails the query after it as well; unheard, the event would end the process. */
const leaveToQuery = (): void => undefined;

/** A connection that cannot even roll back is of no more use. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
