import type { Sql, Value } from '../sql.ts';

/** Limits the length of a statement, and so the number of different statements to plan. */
const ROWS_PER_STATEMENT = 20;

interface Target {
  readonly table: string;
  readonly columns: readonly string[];
  /** The clause for a row that already exists. */
  readonly onConflict?: string;
}

/** For rows of any type; many rows of whole numbers use `upsertMany`; returns the number of changed rows. */
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
