import type { Sql } from '../../sql.ts';

/** The rows after a number of which one statement reads at most so many, because SQLite reads in the main thread. */
export interface PartWanted {
  readonly after: number;
  readonly rowsMax: number;
}

/** The number of the last row of a part, or `null` when all further rows belong to it. */
export async function endOfPart(
  sql: Sql,
  number: string,
  rowsAfter: string,
  { after, rowsMax }: PartWanted,
): Promise<number | null> {
  const [row] = await sql.query<[number]>(
    `SELECT ${number} FROM ${rowsAfter} $1 ORDER BY ${number} LIMIT 1 OFFSET $2`,
    [after, rowsMax - 1],
  );
  return row?.[0] ?? null;
}
