import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Actor } from '@granary/contract/audit';
import type { BulkTarget, BulkUpsert, NumberRow, Sql, Value } from '../sql.ts';
import { inOrder, type RawRow } from '../tables/telemetry/raw-row.ts';
import { translate } from './errors.ts';

const STATEMENTS_KEPT_MAX = 256;
/** Rows per statement: in statements of ten a row costs two thirds of a single row; longer statements gain nothing. */
const ROWS_PER_UPSERT = 10;

/** SQLite is synchronous, so a statement blocks its thread until it ends. */
export class SqliteSql implements Sql {
  actor: Actor | null = null;
  readonly forUpdate = '';
  readonly skipLocked = '';
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async query<Row extends readonly Value[]>(text: string, params: readonly Value[] = []): Promise<Row[]> {
    return this.#all<Row>(text, params);
  }

  async run(text: string, params: readonly Value[] = []): Promise<number> {
    return this.#run(this.#prepare(text), params);
  }

  async insertNew(target: BulkTarget, rows: readonly NumberRow[]): Promise<number[]> {
    const statement = this.#prepare(`${insertText(target, 1)} ON CONFLICT DO NOTHING`);
    const taken: number[] = [];
    for (const [position, row] of rows.entries()) {
      if (this.#run(statement, row) === 0) taken.push(position);
    }
    return taken;
  }

  async upsertMany(target: BulkUpsert, rows: readonly NumberRow[]): Promise<void> {
    const whole = rows.length - (rows.length % ROWS_PER_UPSERT);
    this.#upsertInParts(target, rows, 0, whole, ROWS_PER_UPSERT);
    this.#upsertInParts(target, rows, whole, rows.length, 1);
  }

  async lockMany({ table, columns, key }: BulkTarget, keys: readonly NumberRow[]): Promise<NumberRow[]> {
    const condition = key.map((column, i) => `${column} = $${i + 1}`).join(' AND ');
    const text = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition}`;
    return keys.flatMap((values) => this.#all<(number | null)[]>(text, values));
  }

  isOneOf(column: string, placeholder: string): string {
    return `${column} IN (SELECT value FROM json_each(${placeholder}))`;
  }

  isOneOfNumbers(column: string, placeholder: string): string {
    return this.isOneOf(column, placeholder);
  }

  contains(column: string, placeholder: string): string {
    return `instr(lower(${column}), ${placeholder}) > 0`;
  }

  /** SQLite has no partitions: one table has the readings of all times. */
  async prepareReadings(): Promise<void> {
    return;
  }

  async takeReadings(fromMs: number, toMs: number): Promise<RawRow[]> {
    const rows = await this.query<RawRow>(
      `DELETE FROM readings WHERE ts_ms >= $1 AND ts_ms < $2
       RETURNING ts_ms, device_no, sensor_group, a, b, c, bad_mask`,
      [fromMs, toMs],
    );
    return inOrder(rows);
  }

  async dropReadings(beforeMs: number, rowsMax: number): Promise<number> {
    return await this.run(
      `DELETE FROM readings WHERE (ts_ms, device_no, sensor_group) IN (
         SELECT ts_ms, device_no, sensor_group FROM readings WHERE ts_ms < $1
         ORDER BY ts_ms, device_no, sensor_group LIMIT $2
       )`,
      [beforeMs, rowsMax],
    );
  }

  #upsertInParts(
    target: BulkUpsert,
    rows: readonly NumberRow[],
    from: number,
    to: number,
    size: number,
  ): void {
    if (from === to) return;
    const conflict = `ON CONFLICT (${target.key.join(', ')}) DO UPDATE SET ${target.update}`;
    const statement = this.#prepare(`${insertText(target, size)} ${conflict}`);
    for (let start = from; start < to; start += size) {
      this.#run(statement, rows.slice(start, start + size).flat());
    }
  }

  #all<Row>(text: string, params: readonly Value[]): Row[] {
    const statement = this.#prepare(text);
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

  /** Caches the statements used last; a map iterates in the order of insertion. */
  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement !== undefined && this.#statements.size < STATEMENTS_KEPT_MAX) return statement;
    if (statement === undefined) {
      try {
        statement = this.#database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'));
      } catch (error) {
        throw translate(error);
      }
      statement.setReturnArrays(true);
    }
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    for (const oldest of this.#statements.keys()) {
      if (this.#statements.size <= STATEMENTS_KEPT_MAX) break;
      this.#statements.delete(oldest);
    }
    return statement;
  }
}

function insertText({ table, columns }: BulkTarget, rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
}
