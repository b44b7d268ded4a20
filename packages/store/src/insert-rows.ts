import type { Sql, Value } from './sql.ts';

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
  target: Target,
  rows: readonly (readonly Value[])[],
): Promise<number> {
  let touched = 0;
  for (const [text, params] of statementsFor(target, rows)) touched += await sql.run(text, params);
  return touched;
}

/** The same where nobody needs the number. */
export async function insertRowsUnawaited(
  sql: Sql,
  target: Target,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  for (const [text, params] of statementsFor(target, rows)) await sql.runUnawaited(text, params);
}

function* statementsFor(
  { table, columns, onConflict = '' }: Target,
  rows: readonly (readonly Value[])[],
): Generator<readonly [text: string, params: readonly Value[]], void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    const tuples = part.map(
      (_, row) => `(${columns.map((_, i) => `$${row * columns.length + i + 1}`).join()})`,
    );
    yield [`INSERT INTO ${table} (${columns.join()}) VALUES ${tuples.join()} ${onConflict}`, part.flat()];
  }
}
