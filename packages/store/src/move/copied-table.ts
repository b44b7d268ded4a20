/** The types of columns that both engines have. */
export type ColumnKind = 'whole' | 'real' | 'text' | 'bytes';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table that both engines have, with the columns of the embedded store. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The primary key; empty for a table of one row. */
  readonly key: readonly Column[];
}

/** The values of the key of a row. */
export type Position = readonly (number | string)[];

/** Rows after one position up to another one; `null` has no limit on that side. */
export interface Range {
  readonly after: Position | null;
  readonly upTo: Position | null;
}

export const namesOf = (columns: readonly Column[]): string[] => columns.map(({ name }) => name);

/** Tables with bodies of some dozens of bytes. */
const WITH_FEW_BYTES = ['readings', 'open_buckets'];

/** Limits the memory for a batch: a row of text may have some kilobytes, and a row of bytes more than a hundred bytes. */
export function rowsPerBatch({ name, columns }: CopiedTable): number {
  const kinds = new Set(columns.map(({ kind }) => kind));
  if (kinds.has('bytes')) return WITH_FEW_BYTES.includes(name) ? 10_000 : 100;
  return kinds.has('text') ? 1_000 : 20_000;
}

interface Dialect {
  /** The name of a column as a part of a key, which is compared byte by byte. */
  readonly keyColumn: (column: Column) => string;
  readonly placeholder: (position: number) => string;
}

/**
 * The condition of a range and its parameters. The first column is also compared alone, because PostgreSQL selects partitions
 * only by such a comparison.
 */
export function conditionOf(
  { key }: CopiedTable,
  { after, upTo }: Range,
  { keyColumn, placeholder }: Dialect,
): { readonly condition: string; readonly values: Position } {
  const columns = key.map(keyColumn);
  const values: (number | string)[] = [];
  const conditions: string[] = [];
  const compare = (names: readonly string[], operator: string, position: Position): void => {
    const places = position.map((value) => placeholder(values.push(value)));
    conditions.push(`(${names.join(', ')}) ${operator} (${places.join(', ')})`);
  };
  const first = columns.slice(0, 1);
  if (after !== null) {
    compare(columns, '>', after);
    compare(first, '>=', after.slice(0, 1));
  }
  if (upTo !== null) {
    compare(columns, '<=', upTo);
    compare(first, '<=', upTo.slice(0, 1));
  }
  return { condition: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}
