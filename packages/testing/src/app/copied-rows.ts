import type { StoreLocation } from '@granary/app/app';
import { queryStore } from './engines.ts';

/** Copies of a stored row. */
export interface CopiedRows {
  readonly table: string;
  /** The column by which the copied row is chosen; the first row is copied. */
  readonly by: string;
  readonly where?: string;
  /** The number of copies, which are numbered from 1, or the query that finds their numbers. */
  readonly count: number | { readonly of: string };
  /** The columns that differ in each copy, as SQL; the number of the copy is `n`. */
  readonly changed: Readonly<Record<string, string>>;
  /** The columns whose values the database makes. */
  readonly generated?: readonly string[];
}

/** Copies many rows in one statement, because a test cannot wait until that many requests have made them. */
export async function copyRows(
  location: StoreLocation,
  { table, by, where = '1 = 1', count, changed, generated = [] }: CopiedRows,
): Promise<void> {
  const names = (await queryStore(location, columnsOf(location, table))).map(([name]) => String(name));
  const columns = names.filter((name) => !generated.includes(name));
  const values = columns.map((name) => changed[name] ?? `one.${name}`);
  const numbers =
    typeof count === 'number' ? `SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}` : count.of;
  await queryStore(
    location,
    `WITH RECURSIVE numbers (n) AS (${numbers})
     INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
     FROM (SELECT * FROM ${table} WHERE ${where} ORDER BY ${by} LIMIT 1) AS one CROSS JOIN numbers`,
  );
}

const columnsOf = ({ engine }: StoreLocation, table: string): string =>
  engine === 'sqlite'
    ? `SELECT name FROM pragma_table_info('${table}')`
    : `SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '${table}'`;
