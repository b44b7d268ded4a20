/** The types that both engines can bind and return; times are epoch milliseconds, flags 0 or 1, JSON is text. */
export type Value = string | number | Uint8Array | null;

export type NumberRow = readonly (number | null)[];

/** A row of whole numbers; in a few tables it also has bytes. */
export type BulkRow = readonly (number | Uint8Array | null)[];

/** The target of a bulk statement. */
export interface BulkTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** The names of the columns with bytes. */
  readonly bytes?: readonly string[];
  readonly key: readonly string[];
  /** True if nearly all inserted rows have a new key. */
  readonly isUsuallyNew?: boolean;
}

export interface BulkUpsert extends BulkTarget {
  /** The `SET` list for an existing row; the new row is called `excluded`. */
  readonly update: string;
}

/** The partitions of a table, one for each day (UTC). */
export interface DayPartitions {
  /** Creates the missing partitions for rows of these times; must be the first call of a transaction. */
  prepare(timesMs: Iterable<number>): Promise<void>;

  /** Drops the oldest partition that ends before the time, after the commit, and returns the number of partitions to drop: 0 or 1. */
  dropOldest(beforeMs: number): Promise<number>;
}

/**
 * The only access to the database. Statements are written once, in the SQL that both engines share, with `$1` placeholders.
 * Inside a write everything belongs to one transaction.
 */
export interface Sql {
  /** Each row is an object whose fields are named after the columns: `device_no` is `deviceNo`. Every expression needs a name. */
  query<Row extends object>(text: string, params?: readonly Value[]): Promise<Row[]>;

  /** Returns rows as arrays in the order of the select list, for statements with thousands of rows or with columns of a computed list. */
  queryArrays<Row extends readonly Value[]>(text: string, params?: readonly Value[]): Promise<Row[]>;

  /** Returns the number of changed rows. */
  run(text: string, params?: readonly Value[]): Promise<number>;

  /** Runs a statement whose result is not needed: it may be sent together with the next ones; if it fails, the write fails. */
  runUnawaited(text: string, params: readonly Value[]): Promise<void>;

  /** Inserts the rows with a new key and returns the positions of the rows whose key existed before this transaction. */
  insertNew(target: BulkTarget, rows: readonly BulkRow[]): Promise<number[]>;

  /** Inserts or updates the rows. Their keys must be distinct and always in the same order, otherwise two nodes could deadlock. */
  upsertMany(target: BulkUpsert, rows: readonly BulkRow[]): Promise<void>;

  /** Reads the rows with these keys and locks them until the end of the transaction. */
  lockMany<Row extends BulkRow>(target: BulkTarget, keys: readonly NumberRow[]): Promise<Row[]>;

  /** True if only one write runs at a time. */
  readonly hasOneWriter: boolean;

  /** Appended to a query inside a write: locks its rows until the end of the transaction. */
  readonly forUpdate: string;

  /** Appended after `forUpdate`: skips rows that are locked instead of waiting for them. */
  readonly skipLocked: string;

  /** A condition that the column is one of the texts in a JSON array. */
  isOneOf(column: string, placeholder: string): string;

  /** A condition that the column is one of the whole numbers in a JSON array. */
  isOneOfNumbers(column: string, placeholder: string): string;

  /** A condition that the column is one of the few whole numbers that a query finds. */
  isFound(column: string, query: string): string;

  /** A condition that the column contains the text, in which A to Z are lower case; other letters must be the same. */
  contains(column: string, placeholder: string): string;

  /** The partitions of the table of raw readings; `null` if one table has the rows of all days. */
  readonly partitions: DayPartitions | null;
}
