import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { codeOf, MoveError, StoreOpenError } from '../errors.ts';
import { POSTGRES_DIALECT } from '../migrations/migration.ts';
import { MIGRATIONS, migrate } from '../migrations/migrations.ts';
import { addressOf, MIGRATION_LOCK } from '../postgres/engine.ts';
import { reasonOf } from '../postgres/errors.ts';
import { Partitions } from '../postgres/partitions.ts';
import { PostgresSql } from '../postgres/sql.ts';
import { queueOf } from '../postgres/statement-queue.ts';
import { NUMBERS } from '../postgres/types.ts';
import { hasUnfinishedMove, UNFINISHED_MOVE } from '../postgres/unfinished-move.ts';
import type { CopiedTable, Position, Range } from './copied-table.ts';
import type { StoreIdentity } from './source.ts';
import { COLUMNS, checksumOf, continueNumbers, insertText, TABLES, truncate } from './target-sql.ts';

const GOES_ON = 'Then repeat the command: it goes on where it stopped.';

const CURES: Readonly<Record<string, string>> = {
  '3D000': 'Create the database first: createdb --owner=<role> <name>.',
  '28P01': 'Look at the user name and the password of the address.',
  '28000': 'Look at the user name of the address, and at pg_hba.conf of the server.',
  '42501': 'The role of the address must own the database, or have the right to create tables in it.',
  '53100': `The disk of the database is full: free some space there. ${GOES_ON}`,
  '53200': `The database has no memory left. ${GOES_ON}`,
  '53300': `The database has no free connection. ${GOES_ON}`,
  '25006': 'It is a read-only standby: name the primary server.',
};

/** Lost connections, shutdowns, and errors of the network, for which the client library sets a code of the system or none. */
const UNREACHABLE = /^(08...|57P0.|E[A-Z]+)$/;

const UNREACHABLE_MESSAGE = /^(timeout expired|Connection terminated|Client has encountered)/;

/** An arbitrary advisory lock number: only one process at a time copies into a database. */
const MOVE_LOCK = 7_281_540_005;
/** The server may need some seconds to notice that the process of an earlier attempt has ended. */
const LOCK_MS_MAX = 15_000;
const LOCK_AGAIN_MS = 500;
const CONNECT_MS_MAX = 10_000;
const VERSION_MIN = 150_000;

/** The progress of the copy of a table. */
export interface TableProgress {
  readonly rows: number;
  readonly after: Position | null;
  readonly isCopied: boolean;
}

export type Progress = Readonly<Record<string, TableProgress>>;

/** A database that is empty, or has an unfinished copy of a store. */
export type TargetState =
  | { readonly kind: 'empty' }
  | ({ readonly kind: 'unfinished'; readonly progress: Progress } & StoreIdentity);

export interface TargetColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** True if the server generates the numbers of this column. */
  readonly isGenerated: boolean;
}

/** The PostgreSQL database that a store is copied to, over one connection. */
export class MoveTarget {
  readonly address: string;
  readonly #client: Client;
  readonly #sql: PostgresSql;
  readonly #preparedDays = new Set<number>();

  private constructor(address: string, client: Client) {
    this.address = address;
    this.#client = client;
    this.#sql = new PostgresSql(queueOf(client), new Partitions());
  }

  static async open(url: string): Promise<MoveTarget> {
    const address = addressOf(url);
    let client: Client | undefined;
    try {
      client = new Client({
        connectionString: url,
        connectionTimeoutMillis: CONNECT_MS_MAX,
        keepAlive: true,
        types: NUMBERS,
        application_name: 'granary migrate',
      });
      // A lost connection also fails its query; without a listener the event would end the process.
      client.on('error', () => undefined);
      await client.connect();
      const target = new MoveTarget(address, client);
      await target.#prepareConnection();
      return target;
    } catch (error) {
      await client?.end().catch(() => undefined);
      const explained = explainTarget(error, address);
      if (explained instanceof MoveError) throw explained;
      throw new MoveError(`cannot use the database at ${address}: ${String(error)}`, { cause: error });
    }
  }

  /** Locks the database. It waits for the end of an earlier attempt, whose last statement may still be running on the server. */
  async lock(): Promise<void> {
    for (const endsAtMs = performance.now() + LOCK_MS_MAX; ; await sleep(LOCK_AGAIN_MS)) {
      const [[isLocked] = []] = await this.#rows(`SELECT pg_try_advisory_lock(${MOVE_LOCK})`);
      if (isLocked === true) return;
      if (performance.now() >= endsAtMs) {
        throw new MoveError(`another granary migrate is writing to the database at ${this.address}`, {
          cure: 'Wait for its end.',
        });
      }
    }
  }

  /** Returns the state of the database; refuses a database with anything else in it. */
  async state(): Promise<TargetState> {
    if (!(await hasUnfinishedMove((text) => this.#rows(text)))) {
      const [table] = await this.#rows(TABLES);
      if (table !== undefined) throw await this.#notEmpty(String(table[0]));
      return { kind: 'empty' };
    }
    const [[store, state, version, progress] = []] = await this.#rows(
      `SELECT store, state, schema_version, progress FROM ${UNFINISHED_MOVE}`,
    );
    if (version !== MIGRATIONS.length) {
      throw new MoveError(
        `the database at ${this.address} has an unfinished copy by another version (schema ${version}, this one has ${MIGRATIONS.length})`,
        { cure: 'Finish it with that version, or create an empty database and name that.' },
      );
    }
    return {
      kind: 'unfinished',
      store: String(store),
      state: String(state),
      progress: JSON.parse(String(progress)),
    };
  }

  /** Creates the tables and removes the rows with which they begin. */
  async createTables(tables: readonly string[], { store, state }: StoreIdentity): Promise<void> {
    await this.#inTransaction(async () => {
      await this.#rows(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      await migrate(this.#sql, POSTGRES_DIALECT);
      await this.#rows(truncate(tables));
      await this.#rows(`CREATE TABLE ${UNFINISHED_MOVE} (
        store TEXT NOT NULL, state TEXT NOT NULL, schema_version BIGINT NOT NULL, progress TEXT NOT NULL)`);
      await this.#rows(`INSERT INTO ${UNFINISHED_MOVE} VALUES ($1, $2, $3, '{}')`, [
        store,
        state,
        MIGRATIONS.length,
      ]);
    });
  }

  /** Removes the rows of an unfinished copy, because the store has changed since. */
  async beginAgain(tables: readonly string[], { state }: StoreIdentity): Promise<void> {
    await this.#inTransaction(async () => {
      await this.#rows(truncate(tables));
      await this.#rows(`UPDATE ${UNFINISHED_MOVE} SET state = $1, progress = '{}'`, [state]);
    });
  }

  async columns(): Promise<TargetColumn[]> {
    return (await this.#rows(COLUMNS)).map(([table, name, type, isGenerated]) => ({
      table: String(table),
      name: String(name),
      type: String(type),
      isGenerated: isGenerated === true,
    }));
  }

  /** Creates the partitions for readings of these days. */
  async prepareDays(daysMs: readonly number[]): Promise<void> {
    const missing = daysMs.filter((day) => !this.#preparedDays.has(day));
    if (missing.length === 0) return;
    await this.#inTransaction(async () => await this.#sql.partitions?.prepare(missing));
    for (const day of missing) this.#preparedDays.add(day);
  }

  /** Stores a batch together with the progress that includes it. */
  async append(table: CopiedTable, arrays: readonly string[], progress: Progress): Promise<void> {
    await this.#rows(insertText(table), [...arrays, JSON.stringify(progress)]);
  }

  async saveProgress(progress: Progress): Promise<void> {
    await this.#rows(`UPDATE ${UNFINISHED_MOVE} SET progress = $1`, [JSON.stringify(progress)]);
  }

  async checksum(
    table: CopiedTable,
    range: Range,
  ): Promise<{ readonly rows: number; readonly checksum: string }> {
    const { text, values } = checksumOf(table, range);
    const [[rows, checksum] = []] = await this.#rows(text, values);
    return { rows: Number(rows), checksum: rows === 0 ? '' : String(checksum) };
  }

  /** Makes the database ready for a service. */
  async finish(tables: readonly string[], generated: readonly TargetColumn[]): Promise<void> {
    // Without figures about the new rows the server would read whole tables where an index is enough.
    for (const table of tables) await this.#rows(`ANALYZE ${table}`);
    await this.#inTransaction(async () => {
      // When this commit is on disk, all earlier commits are, too.
      await this.#rows('SET LOCAL synchronous_commit = on');
      for (const { table, name } of generated) await this.#rows(continueNumbers(table, name));
      await this.#rows(`DROP TABLE ${UNFINISHED_MOVE}`);
    });
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #prepareConnection(): Promise<void> {
    const [[version, encoding] = []] = await this.#rows(
      `SELECT current_setting('server_version_num')::int, current_setting('server_encoding')`,
    );
    if (Number(version) < VERSION_MIN) {
      throw new MoveError(`the server at ${this.address} is older than PostgreSQL 15`);
    }
    if (encoding !== 'UTF8') {
      throw new MoveError(`the database at ${this.address} has the encoding ${encoding}`, {
        cure: "Create it with ENCODING 'UTF8' TEMPLATE template0.",
      });
    }
    // Progress is stored with the rows it counts, so a crash of the server loses both or none.
    await this.#rows(`SET synchronous_commit = off; SET statement_timeout = 0; SET lock_timeout = 0;
      SET idle_in_transaction_session_timeout = 0; SET extra_float_digits = 0`);
  }

  async #notEmpty(table: string): Promise<MoveError> {
    const cure =
      'Create an empty database and name that: nothing is ever added to data that is there already.';
    const [[hasVersion] = []] = await this.#rows(`SELECT to_regclass('granary_schema') IS NOT NULL`);
    if (hasVersion !== true) {
      return new MoveError(`the database at ${this.address} is not empty: it has the table ${table}`, {
        cure,
      });
    }
    const [[version = 0] = []] = await this.#rows('SELECT version FROM granary_schema');
    return new MoveError(
      `the database at ${this.address} is not empty: it has the data of a Granary service (schema ${version}, this version has ${MIGRATIONS.length})`,
      { cure },
    );
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    try {
      await this.#rows('BEGIN');
      await work();
      await this.#rows('COMMIT');
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => undefined);
      throw explainTarget(error, this.address);
    }
  }

  async #rows(text: string, values?: readonly unknown[]): Promise<unknown[][]> {
    try {
      const query = values === undefined ? { text } : { text, values: [...values] };
      return (await this.#client.query({ ...query, rowMode: 'array' })).rows;
    } catch (error) {
      throw explainTarget(error, this.address);
    }
  }
}

/** Turns an error of the server into one line with its cure; an error in our own statements stays as it is. */
export function explainTarget(error: unknown, address: string): unknown {
  if (error instanceof MoveError || !(error instanceof Error)) return error;
  if (error instanceof StoreOpenError) return new MoveError(error.message, { cause: error });
  const code = codeOf(error);
  const isUnreachable = code === undefined ? UNREACHABLE_MESSAGE.test(error.message) : UNREACHABLE.test(code);
  const cure = isUnreachable
    ? `Look whether the server runs and can be reached from here. ${GOES_ON}`
    : CURES[code ?? ''];
  if (cure === undefined) return error;
  return new MoveError(`cannot use the database at ${address}: ${reasonOf(error)}`, {
    cause: error,
    cure,
    kind: isUnreachable ? 'unreachable' : 'failed',
  });
}
