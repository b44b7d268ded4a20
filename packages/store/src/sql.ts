/** What both engines can bind and answer. Times are epoch milliseconds, flags 0 or 1, JSON is text. */
export type Value = string | number | null;

export type NumberRow = readonly (number | null)[];

/** Where many rows of whole numbers go at once. */
export interface BulkTarget {
  readonly table: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

export interface BulkUpsert extends BulkTarget {
  /** The `SET` list for a row that is already there; the new one is called `excluded`. */
  readonly update: string;
}

/**
 * The one way to the database. Statements are written once, in the SQL that both engines share, with `$1`
 * placeholders; rows come back as tuples in the order of the select list. Inside a write everything belongs to one
 * transaction.
 */
export interface Sql {
  query<Row extends readonly Value[]>(text: string, params?: readonly Value[]): Promise<Row[]>;

  /** Answers the number of rows touched. */
  run(text: string, params?: readonly Value[]): Promise<number>;

  /** Inserts the rows whose key is free and answers the positions of those whose key was taken. */
  insertNew(target: BulkTarget, rows: readonly NumberRow[]): Promise<number[]>;

  /** Keys must be distinct, and in the same order everywhere, or two nodes could wait for each other. */
  upsertMany(target: BulkUpsert, rows: readonly NumberRow[]): Promise<void>;

  /** The rows with these keys, held against change until the end of the transaction. */
  lockMany(target: BulkTarget, keys: readonly NumberRow[]): Promise<NumberRow[]>;

  /** Ends a query inside a write whose row must not change before the transaction ends. */
  readonly forUpdate: string;

  /** After `forUpdate`: leaves out the rows that somebody else holds instead of waiting for them. */
  readonly skipLocked: string;

  /** A condition that the column is one of the texts in a JSON array. */
  isOneOf(column: string, placeholder: string): string;

  /** A condition that the column is one of the whole numbers in a JSON array. */
  isOneOfNumbers(column: string, placeholder: string): string;

  /** Makes a place for readings of these times. Must be the first thing a transaction does. */
  prepareReadings(timesMs: readonly number[]): Promise<void>;

  /** Removes some of the raw readings before a time and answers how much that was; 0 when none are left. */
  dropReadings(beforeMs: number, rowsMax: number): Promise<number>;
}
