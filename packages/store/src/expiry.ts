import type { Sql } from './sql.ts';

/** Selects the rows that are older than a time, at most `rowsMax` in one call, so that other writes are not delayed for long. */
export interface Expiry {
  readonly beforeMs: number;
  readonly rowsMax: number;
}

interface ExpiringRows {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: string;
  /** The column of the time that is compared. */
  readonly time: string;
  /** A further condition that removed rows must meet. */
  readonly only?: string;
}

/** Removes the oldest rows and returns how many. Locked rows are left for the next call, so this never waits. */
export async function expireRows(
  sql: Sql,
  { table, key, time, only }: ExpiringRows,
  { beforeMs, rowsMax }: Expiry,
): Promise<number> {
  const isOld = `${time} < $1${only === undefined ? '' : ` AND ${only}`}`;
  return await sql.run(
    `DELETE FROM ${table} WHERE ${isOld} AND (${key}) IN (
       SELECT ${key} FROM ${table} WHERE ${isOld} ORDER BY ${time} LIMIT $2 ${sql.forUpdate} ${sql.skipLocked})`,
    [beforeMs, rowsMax],
  );
}
