import { fieldsOf, rowOf } from '../rows.ts';
import type { BulkRow, BulkTarget, BulkUpsert, DayPartitions, NumberRow, Sql, Value } from '../sql.ts';
import { translate } from './errors.ts';
import type { Partitions } from './partitions.ts';
import type { Statements } from './statement-queue.ts';

export class PostgresSql implements Sql {
  readonly hasOneWriter = false;
  readonly forUpdate = 'FOR NO KEY UPDATE';
  readonly skipLocked = 'SKIP LOCKED';
  readonly partitions: DayPartitions | null;
  readonly #statements: Statements;
  readonly #expectsRepeats: boolean;

  /** Without `expectsRepeats`, a repeated row may fail the write; the write must then be tried again with `expectsRepeats`. */
  constructor(statements: Statements, partitions: Partitions | null = null, expectsRepeats = true) {
    this.#statements = statements;
    this.partitions = partitions && {
      prepare: (timesMs) => this.#translated(partitions.prepare(statements, timesMs)),
      dropOldest: (beforeMs) => this.#translated(partitions.markOldest(statements, beforeMs)),
    };
    this.#expectsRepeats = expectsRepeats;
  }

  async query<Row extends object>(text: string, params: readonly Value[] = []): Promise<Row[]> {
    const { columns, rows } = await this.#translated(this.#statements.run(text, params));
    const fields = fieldsOf(columns);
    return rows.map((values) => rowOf(fields, values) as Row);
  }

  async queryArrays<Row extends readonly Value[]>(
    text: string,
    params: readonly Value[] = [],
  ): Promise<Row[]> {
    const { rows } = await this.#translated(this.#statements.run(text, params));
    return rows as unknown as Row[];
  }

  async run(text: string, params: readonly Value[] = []): Promise<number> {
    return (await this.#translated(this.#statements.run(text, params))).rowCount;
  }

  async runUnawaited(text: string, params: readonly Value[]): Promise<void> {
    this.#statements.post(text, params);
  }

  /** If fewer rows were inserted than given, some keys existed; only then a second statement finds them. */
  async insertNew(target: BulkTarget, rows: readonly BulkRow[]): Promise<number[]> {
    const { table, columns, key, bytes, isUsuallyNew = false } = target;
    // Looking for a conflict costs nearly as much as the insert.
    const onConflict = isUsuallyNew && !this.#expectsRepeats ? '' : 'ON CONFLICT DO NOTHING';
    const inserted = await this.run(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ${unnest(columns, bytes)} ${onConflict}`,
      byColumn(columns, rows),
    );
    if (inserted === rows.length) return [];
    const keyPositions = key.map((column) => columns.indexOf(column));
    const taken = await this.query<{ position: number }>(
      `SELECT position - 1 AS position FROM ${unnest(key)} WITH ORDINALITY AS wanted (${key.join(', ')}, position)
       JOIN ${table} AS stored USING (${key.join(', ')})
       WHERE stored.xmin <> pg_current_xact_id()::xid ORDER BY wanted.position`,
      byColumn(
        key,
        rows.map((row) => keyPositions.map((i) => row[i] ?? null)),
      ),
    );
    return taken.map(({ position }) => position);
  }

  async upsertMany(target: BulkUpsert, rows: readonly BulkRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { table, columns, key, update } = target;
    await this.runUnawaited(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ${unnest(columns, target.bytes)}
       ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${update}`,
      byColumn(columns, rows),
    );
  }

  async lockMany<Row extends BulkRow>(target: BulkTarget, keys: readonly NumberRow[]): Promise<Row[]> {
    const { table, columns, key } = target;
    return await this.queryArrays<Row>(
      `SELECT ${columns.map((column) => `stored.${column}`).join(', ')}
       FROM ${unnest(key)} WITH ORDINALITY AS wanted (${key.join(', ')}, position)
       JOIN ${table} AS stored USING (${key.join(', ')})
       ORDER BY position FOR UPDATE OF stored`,
      byColumn(key, keys),
    );
  }

  /** The condition is not an IN, with which a large table is read completely, because the planner expects a hundred texts. */
  isOneOf(column: string, placeholder: string): string {
    return `${column} = ANY (ARRAY(SELECT jsonb_array_elements_text(${placeholder}::jsonb)))`;
  }

  isOneOfNumbers(column: string, placeholder: string): string {
    return `${column} = ANY (ARRAY(SELECT jsonb_array_elements_text(${placeholder}::jsonb)::bigint))`;
  }

  /** The condition is not an IN: its plan is made for an empty table, is kept, and would later read all rows. */
  isFound(column: string, query: string): string {
    return `${column} = ANY (ARRAY(${query}))`;
  }

  /** With this collation, `lower` changes only A to Z, as in SQLite, whatever the locale of the database is. */
  contains(column: string, placeholder: string): string {
    return `strpos(lower(${column} COLLATE "C"), ${placeholder}) > 0`;
  }

  async #translated<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw translate(error);
    }
  }
}

/** Sends every column as one array. */
function unnest(columns: readonly string[], bytes: readonly string[] = []): string {
  const types = columns.map((column) => (bytes.includes(column) ? 'bytea[]' : 'bigint[]'));
  return `unnest(${types.map((type, i) => `$${i + 1}::${type}`).join(', ')})`;
}

const byColumn = (columns: readonly string[], rows: readonly BulkRow[]): string[] =>
  columns.map((_, i) => `{${rows.map((row) => arrayElement(row[i] ?? null)).join()}}`);

function arrayElement(value: number | Uint8Array | null): number | string {
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return value ?? 'NULL';
}
