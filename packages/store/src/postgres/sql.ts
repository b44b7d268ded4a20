import { createHash } from 'node:crypto';
import type { Actor } from '@granary/contract/audit';
import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import type { BulkRow, BulkTarget, BulkUpsert, NumberRow, Sql, Value } from '../sql.ts';
import { inOrder, type RawRow } from '../tables/telemetry/raw-row.ts';
import { translate } from './errors.ts';
import type { Partitions } from './partitions.ts';

/** A connection, or a pool that provides one for each query. */
export interface Queryable {
  query(config: QueryArrayConfig): Promise<QueryArrayResult>;
}

const NAMES_MAX = 1_000;

export class PostgresSql implements Sql {
  actor: Actor | null = null;
  readonly hasOneWriter = false;
  readonly memory = null;
  readonly forUpdate = 'FOR NO KEY UPDATE';
  readonly skipLocked = 'SKIP LOCKED';
  readonly #connection: Queryable;
  readonly #partitions: Partitions;

  constructor(connection: Queryable, partitions: Partitions) {
    this.#connection = connection;
    this.#partitions = partitions;
  }

  async query<Row extends readonly Value[]>(text: string, params: readonly Value[] = []): Promise<Row[]> {
    const { rows } = await this.#execute(text, params);
    return rows as unknown as Row[];
  }

  async run(text: string, params: readonly Value[] = []): Promise<number> {
    return (await this.#execute(text, params)).rowCount ?? 0;
  }

  async insertNew(target: BulkTarget, rows: readonly NumberRow[]): Promise<number[]> {
    const { table, columns, key } = target;
    const inserted = await this.query<number[]>(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ${unnest(columns)}
       ON CONFLICT DO NOTHING RETURNING ${key.join(', ')}`,
      byColumn(columns, rows),
    );
    if (inserted.length === rows.length) return [];
    const isNew = new Set(inserted.map((values) => values.join(' ')));
    const keyPositions = key.map((column) => columns.indexOf(column));
    return rows.flatMap((row, position) =>
      isNew.has(keyPositions.map((i) => row[i]).join(' ')) ? [] : [position],
    );
  }

  async upsertMany(target: BulkUpsert, rows: readonly BulkRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { table, columns, key, update } = target;
    await this.run(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ${unnest(columns, target.bytes)}
       ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${update}`,
      byColumn(columns, rows),
    );
  }

  async lockMany<Row extends BulkRow>(target: BulkTarget, keys: readonly NumberRow[]): Promise<Row[]> {
    const { table, columns, key } = target;
    return await this.query<Row>(
      `SELECT ${columns.map((column) => `stored.${column}`).join(', ')}
       FROM ${unnest(key)} WITH ORDINALITY AS wanted (${key.join(', ')}, position)
       JOIN ${table} AS stored USING (${key.join(', ')})
       ORDER BY position FOR UPDATE OF stored`,
      byColumn(key, keys),
    );
  }

  isOneOf(column: string, placeholder: string): string {
    return `${column} IN (SELECT jsonb_array_elements_text(${placeholder}::jsonb))`;
  }

  isOneOfNumbers(column: string, placeholder: string): string {
    return `${column} = ANY (ARRAY(SELECT jsonb_array_elements_text(${placeholder}::jsonb)::bigint))`;
  }

  /** With this collation only A to Z change, as in SQLite, whatever the locale of the database is. */
  contains(column: string, placeholder: string): string {
    return `strpos(lower(${column} COLLATE "C"), ${placeholder}) > 0`;
  }

  async prepareReadings(timesMs: Iterable<number>): Promise<void> {
    await this.#partitions.prepare((text) => this.#execute(text), timesMs);
  }

  /**
   * Locks the rows in the order of their keys first, as every other write does. The statement that removes them returns what
   * it has removed, so a row that was stored in between is not lost.
   */
  async takeReadings(fromMs: number, toMs: number): Promise<RawRow[]> {
    const range = [fromMs, toMs];
    await this.query(
      `SELECT COUNT(*) FROM (
         SELECT 1 FROM readings WHERE ts_ms >= $1 AND ts_ms < $2
         ORDER BY ts_ms, device_no, sensor_group FOR UPDATE) AS locked`,
      range,
    );
    const rows = await this.query<RawRow>(
      `DELETE FROM readings WHERE ts_ms >= $1 AND ts_ms < $2
       RETURNING ts_ms, device_no, sensor_group, a, b, c, bad_mask`,
      range,
    );
    return inOrder(rows);
  }

  async dropReadings(beforeMs: number): Promise<number> {
    return await this.#partitions.dropOldest((text) => this.#execute(text), beforeMs);
  }

  /** A statement with parameters gets a name, so that the server plans it once per connection. */
  async #execute(text: string, values?: readonly Value[]): Promise<QueryArrayResult> {
    try {
      if (values === undefined) return await this.#connection.query({ text, rowMode: 'array' });
      return await this.#connection.query({
        name: nameOf(text),
        text,
        values: [...values],
        rowMode: 'array',
      });
    } catch (error) {
      throw translate(error);
    }
  }
}

const names = new Map<string, string>();

/** Of the statements in use; a few are made of their parameters, so their number is limited. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name !== undefined) return name;
  name = createHash('sha1').update(text).digest('base64url');
  if (names.size >= NAMES_MAX) names.clear();
  names.set(text, name);
  return name;
}

/** Every column is sent as one array. */
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
