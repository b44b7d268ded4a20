import type { DatabaseSync } from 'node:sqlite';

/**
 * The first trigger or view of a database, or `null`. The service has neither, so whoever added one wants its statements to run with
 * the rights of the service.
 */
export function foreignObjectIn(database: DatabaseSync): string | null {
  const statement = database.prepare(
    `SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY type, name LIMIT 1`,
  );
  statement.setReturnArrays(true);
  const [found] = (statement.get() ?? []) as unknown as unknown[];
  return typeof found === 'string' ? found : null;
}
