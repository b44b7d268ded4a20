import type { Sql, Value } from './sql.ts';

/** Limits the length of a statement, and so the number of different statements to plan. */
const ROWS_PER_STATEMENT = 20;

const COLUMN_NAME = /^[a-z][a-z0-9_]*$/;

/** The values of a row by the names of its fields; the column of `deviceNo` is `device_no`. */
type Fields = Readonly<Record<string, Value>>;

interface Target {
  readonly table: string;
  /** The clause for a row that already exists. */
  readonly onConflict?: string;
}

const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Checks and returns the names of the fields that a statement returns. A value without a name would be named differently by the
 * two databases, and of two columns with the same name one would be lost.
 */
export function fieldsOf(columns: readonly string[]): string[] {
  if (columns.some((column) => !COLUMN_NAME.test(column)) || new Set(columns).size < columns.length) {
    throw new Error(`a statement returns columns that need names of their own: ${columns.join(', ')}`);
  }
  return columns.map((column) =>
    column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** Returns the row as an object. */
export function rowOf(fields: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < fields.length; at++) row[fields[at] ?? ''] = values[at];
  return row;
}

/**
 * Inserts rows of any type that all have the same fields, and returns the number of changed rows. Many rows of whole numbers
 * use `upsertMany`.
 */
export async function insertRows(sql: Sql, target: Target, rows: readonly Fields[]): Promise<number> {
  let touched = 0;
  for (const [text, params] of statementsFor(target, rows)) touched += await sql.run(text, params);
  return touched;
}

/** Does the same without waiting for the number. */
export async function insertRowsUnawaited(sql: Sql, target: Target, rows: readonly Fields[]): Promise<void> {
  for (const [text, params] of statementsFor(target, rows)) await sql.runUnawaited(text, params);
}

/** Changes the rows whose fields have the values of the key, and returns how many there are. */
export async function updateRows(sql: Sql, table: string, key: Fields, changes: Fields): Promise<number> {
  return await sql.run(...updateText(table, key, changes));
}

/** Does the same without waiting for the number. */
export async function updateRowsUnawaited(
  sql: Sql,
  table: string,
  key: Fields,
  changes: Fields,
): Promise<void> {
  await sql.runUnawaited(...updateText(table, key, changes));
}

function updateText(table: string, key: Fields, changes: Fields): [text: string, params: readonly Value[]] {
  const params: Value[] = [];
  const equations = (fields: Fields): string[] =>
    Object.entries(fields).map(([field, value]) => `${columnOf(field)} = $${params.push(value)}`);
  const sets = equations(changes).join(', ');
  return [`UPDATE ${table} SET ${sets} WHERE ${equations(key).join(' AND ')}`, params];
}

function* statementsFor(
  { table, onConflict = '' }: Target,
  rows: readonly Fields[],
): Generator<readonly [text: string, params: readonly Value[]], void> {
  const fields = Object.keys(rows[0] ?? {});
  const columns = fields.map(columnOf).join();
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const part = rows.slice(start, start + ROWS_PER_STATEMENT);
    const params: Value[] = [];
    const tuples = part.map(
      (row) => `(${fields.map((field) => `$${params.push(row[field] ?? null)}`).join()})`,
    );
    yield [`INSERT INTO ${table} (${columns}) VALUES ${tuples.join()} ${onConflict}`, params];
  }
}
