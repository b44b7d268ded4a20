import type { Sql, Value } from '../sql.ts';

/** Bounds the length of a statement, and with it how many different ones there are to plan. */
const ROWS_PER_STATEMENT = 20;

interface Target {
  readonly table: string;
  readonly columns: readonly string[];
  /** What to do about a row that is there already. */
  readonly onConflict?: string;
}

/** For rows of any type; whole numbers by the hundred go through `upsertMany`. Answers how many rows were touched. */
export async function insertRows(
  sql: Sql,
  { table, columns, onConflict = '' }: Target,
  rows: readonly (readonly Value[])[],
): Promise<number> {
  let touched = 0;
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    const tuples = part.map(
      (_, row) => `(${columns.map((_, i) => `$${row * columns.length + i + 1}`).join()})`,
    );
    touched += await sql.run(
      `INSERT INTO ${table} (${columns.join()}) VALUES ${tuples.join()} ${onConflict}`,
      part.flat(),
    );
  }
  return touched;
}
