import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '@granary/common/bounded-map';
import { fieldsOf, rowOf } from '../rows.ts';
import type { BulkRow, BulkTarget, BulkUpsert, NumberRow, Sql, Value } from '../sql.ts';
import { isTakenKey, translate } from './errors.ts';

const STATEMENTS_KEPT_MAX = 256;
/** The rows of one statement: with ten rows, a row costs two thirds of a single row; longer statements gain nothing. */
const ROWS_PER_UPSERT = 10;
/** The rows of one insert; an insert of new rows becomes faster for each row up to about a hundred rows. */
const ROWS_PER_INSERT = 100;

interface Prepared {
  readonly statement: StatementSync;
  /** The fields of the rows that the statement returns, if they are wanted as objects. */
  fields: readonly string[] | null;
}

/** SQLite is synchronous, so a statement blocks its thread until it ends. */
export class SqliteSql implements Sql {
  readonly hasOneWriter = true;
  readonly forUpdate = '';
  readonly skipLocked = '';
  readonly partitions = null;
  readonly #database: DatabaseSync;
  readonly #statements = new BoundedMap<string, Prepared>(STATEMENTS_KEPT_MAX);

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async query<Row extends object>(text: string, params: readonly Value[] = []): Promise<Row[]> {
    const prepared = this.#prepare(text);
    prepared.fields ??= fieldsOf(prepared.statement.columns().map(({ name }) => name));
    const { fields } = prepared;
    return this.#all<readonly Value[]>(prepared, params).map((values) => rowOf(fields, values) as Row);
  }

  async queryArrays<Row extends readonly Value[]>(
    text: string,
    params: readonly Value[] = [],
  ): Promise<Row[]> {
    return this.#all<Row>(this.#prepare(text), params);
  }

  async run(text: string, params: readonly Value[] = []): Promise<number> {
    return this.#run(this.#prepare(text).statement, params);
  }

  async runUnawaited(text: string, params: readonly Value[]): Promise<void> {
    await this.run(text, params);
  }

  /** Inserts rows. Nearly always all keys are new; if a key exists, the statement fails, and its rows are inserted one by one. */
  async insertNew(target: BulkTarget, rows: readonly BulkRow[]): Promise<number[]> {
    const taken: number[] = [];
    for (let from = 0; from < rows.length; ) {
      const size =
        rows.length - from >= ROWS_PER_INSERT
          ? ROWS_PER_INSERT
          : Math.min(rows.length - from, ROWS_PER_UPSERT);
      const part = rows.slice(from, from + size);
      if (size === 1 || !this.#insertAll(target, part)) this.#insertEach(target, part, from, taken);
      from += size;
    }
    return taken;
  }

  async upsertMany(target: BulkUpsert, rows: readonly BulkRow[]): Promise<void> {
    const whole = rows.length - (rows.length % ROWS_PER_UPSERT);
    this.#upsertInParts(target, rows, 0, whole, ROWS_PER_UPSERT);
    this.#upsertInParts(target, rows, whole, rows.length, 1);
  }

  async lockMany<Row extends BulkRow>(target: BulkTarget, keys: readonly NumberRow[]): Promise<Row[]> {
    const { table, columns, key } = target;
    const condition = key.map((column, i) => `${column} = $${i + 1}`).join(' AND ');
    const text = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition}`;
    const prepared = this.#prepare(text);
    return keys.flatMap((values) => this.#all<Row>(prepared, values));
  }

  isOneOf(column: string, placeholder: string): string {
    return `${column} IN (SELECT value FROM json_each(${placeholder}))`;
  }

  isOneOfNumbers(column: string, placeholder: string): string {
    return this.isOneOf(column, placeholder);
  }

  isFound(column: string, query: string): string {
    return `${column} IN (${query})`;
  }

  contains(column: string, placeholder: string): string {
    return `instr(lower(${column}), ${placeholder}) > 0`;
  }

  /** Returns false if one of the keys exists; then nothing was inserted. */
  #insertAll(target: BulkTarget, rows: readonly BulkRow[]): boolean {
    const { statement } = this.#prepare(insertText(target, rows.length));
    try {
      statement.run(...rows.flat());
      return true;
    } catch (error) {
      if (isTakenKey(error)) return false;
      throw translate(error);
    }
  }

  #insertEach(target: BulkTarget, rows: readonly BulkRow[], first: number, taken: number[]): void {
    const { statement } = this.#prepare(`${insertText(target, 1)} ON CONFLICT DO NOTHING`);
    for (const [index, row] of rows.entries()) {
      if (this.#run(statement, row) === 0) taken.push(first + index);
    }
  }

  #upsertInParts(target: BulkUpsert, rows: readonly BulkRow[], from: number, to: number, size: number): void {
    if (from === to) return;
    const conflict = `ON CONFLICT (${target.key.join(', ')}) DO UPDATE SET ${target.update}`;
    const { statement } = this.#prepare(`${insertText(target, size)} ${conflict}`);
    for (let start = from; start < to; start += size) {
      this.#run(statement, rows.slice(start, start + size).flat());
    }
  }

  #all<Row>({ statement }: Prepared, params: readonly Value[]): Row[] {
    try {
      return statement.all(...params) as unknown as Row[];
    } catch (error) {
      throw translate(error);
    }
  }

  #run(statement: StatementSync, params: readonly Value[]): number {
    try {
      return Number(statement.run(...params).changes);
    } catch (error) {
      throw translate(error);
    }
  }

  /** Caches the statements used last. */
  #prepare(text: string): Prepared {
    let prepared = this.#statements.get(text);
    if (prepared !== undefined && this.#statements.size < STATEMENTS_KEPT_MAX) return prepared;
    if (prepared === undefined) {
      try {
        prepared = { statement: this.#database.prepare(text.replaceAll(/\$(\d+)/g, '?$1')), fields: null };
      } catch (error) {
        throw translate(error);
      }
      prepared.statement.setReturnArrays(true);
    }
    this.#statements.set(text, prepared);
    return prepared;
  }
}

/** The texts for each number of rows are cached, because making one takes as long as inserting some rows. */
const INSERT_TEXTS = new WeakMap<BulkTarget, Map<number, string>>();

function insertText(target: BulkTarget, rows: number): string {
  const ofTarget = INSERT_TEXTS.get(target) ?? new Map<number, string>();
  const known = ofTarget.get(rows);
  if (known !== undefined) return known;
  const { table, columns } = target;
  const row = `(${columns.map(() => '?').join(', ')})`;
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
  INSERT_TEXTS.set(target, ofTarget.set(rows, text));
  return text;
}
