import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';

/** The rows of a query as arrays of their columns, whose types the caller knows. */
export function readArrays<Column extends SQLOutputValue>(
  database: DatabaseSync,
  text: string,
  values: readonly SQLInputValue[] = [],
): Column[][] {
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as Column[][];
}
