import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DAY_MS } from '@granary/contract/time';
import { type DataFolderLock, lockDataFolder } from '../data-folder.ts';
import { MoveError, StoreOpenError } from '../errors.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { readContents } from '../sqlite/backup/contents.ts';
import { DATABASE_FILE, openReader, openWriter } from '../sqlite/database.ts';
import { reasonOf } from '../sqlite/errors.ts';
import { readArrays } from '../sqlite/read-arrays.ts';
import {
  type Column,
  type ColumnKind,
  type CopiedTable,
  conditionOf,
  namesOf,
  type Position,
  type Range,
  rowsPerBatch,
} from './copied-table.ts';

/**
 * Returns the SQL for one element of an array in the text form of PostgreSQL. SQLite makes the text of a whole column itself,
 * because whole numbers of 64 bits do not fit a JavaScript number, and because then no value has to be converted to JavaScript.
 */
const ARRAY_ELEMENT: Readonly<Record<ColumnKind, (name: string) => string>> = {
  whole: (name) => name,
  real: (name) => unlessNull(name, `format('%!.17g', ${name})`),
  text: (name) => `'"' || replace(replace(${name}, '\\', '\\\\'), '"', '\\"') || '"'`,
  bytes: (name) => unlessNull(name, `'"\\\\x' || hex(${name}) || '"'`),
};

/** Returns the SQL for the text of a value in the checksum; the target makes the same text. */
const CHECKED_TEXT: Readonly<Record<ColumnKind, (name: string) => string>> = {
  whole: (name) => name,
  real: (name) => unlessNull(name, `format('%.15g', ${name})`),
  text: (name) => unlessNull(name, `lower(hex(${name}))`),
  bytes: (name) => unlessNull(name, `lower(hex(${name}))`),
};

/** The table with the version is not copied, because the target creates its own with the schema. */
const NOT_COPIED = 'granary_schema';

/** The identity of a store and of its present state. */
export interface StoreIdentity {
  /** The oldest API key; a store keeps it for ever. */
  readonly store: string;
  /** A text that changes with each write. */
  readonly state: string;
}

export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** True if other tables refer to this one; then it is copied before them. */
  readonly isReferred: boolean;
}

interface Query {
  readonly text: string;
  readonly values: Position;
}

/** An embedded store that no service uses. All reads see the same moment. */
export class MoveSource {
  readonly folder: string;
  readonly bytes: number;
  readonly identity: StoreIdentity;
  readonly #database: DatabaseSync;
  readonly #lock: DataFolderLock | null;

  private constructor(folder: string, database: DatabaseSync, lock: DataFolderLock | null) {
    const { size, mtimeNs } = statSync(join(folder, DATABASE_FILE), { bigint: true });
    this.folder = folder;
    this.bytes = Number(size);
    this.#database = database;
    this.#lock = lock;
    const [oldest] = this.#all({
      text: 'SELECT key_id, created_at_ms FROM keys ORDER BY created_at_ms, key_id LIMIT 1',
      values: [],
    });
    this.identity = { store: (oldest ?? ['none']).join(' '), state: `${size} ${mtimeNs}` };
  }

  /** Opens the store. Without a lock, a service may continue to write, so the rows may be counted, but not copied. */
  static open(folder: string, isLocked: boolean): MoveSource {
    const file = join(folder, DATABASE_FILE);
    if (!existsSync(file)) {
      throw new MoveError(`there is no database in ${folder}`, {
        cure: 'Name the data folder of the service with --from or GRANARY_DATA_DIR.',
      });
    }
    const lock = isLocked ? takeLock(folder) : null;
    let database: DatabaseSync | undefined;
    try {
      // Opening a writer copies the WAL into the file, so that the size and time of the file show whether the store has changed since.
      if (isLocked) openWriter(file).close();
      database = openReader(file);
      database.exec('BEGIN');
      refuseOtherVersion(readContents(database, file).schemaVersion, folder);
      return new MoveSource(folder, database, lock);
    } catch (error) {
      database?.close();
      lock?.release();
      if (error instanceof MoveError) throw error;
      throw new MoveError(`cannot read ${file}: ${reasonOf(error)}`, { cause: error });
    }
  }

  tables(): SourceTable[] {
    const names = this.#all({
      text: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
             AND name <> '${NOT_COPIED}' ORDER BY name`,
      values: [],
    });
    const tables = names.map(([name]) => this.#table(String(name)));
    const referred = new Set(tables.flatMap(({ refersTo }) => refersTo));
    return tables
      .map(({ refersTo: _, ...table }) => ({ ...table, isReferred: referred.has(table.name) }))
      .toSorted((one, other) => Number(other.isReferred) - Number(one.isReferred));
  }

  count(name: string): number {
    const [[count] = []] = this.#all({ text: `SELECT COUNT(*) FROM ${name}`, values: [] });
    return Number(count);
  }

  /** Returns the ranges of a table in the order of its key, beginning after a position; the last one has no end. */
  *ranges(table: CopiedTable, after: Position | null): Generator<Range> {
    const size = rowsPerBatch(table);
    for (let begin = after; ; ) {
      const [key] =
        table.key.length === 0 ? [] : this.#all(lastKeyOf(table, { after: begin, upTo: null }, size));
      const upTo = key === undefined ? null : (key as Position);
      yield { after: begin, upTo };
      if (upTo === null) return;
      begin = upTo;
    }
  }

  /** Returns each column as an array in the text form of PostgreSQL; `null` for a range without rows. */
  arrays(table: CopiedTable, range: Range): string[] | null {
    const [row = []] = this.#all(arraysOf(table, range));
    return row[0] === null ? null : row.map(String);
  }

  checksum(table: CopiedTable, range: Range): { readonly rows: number; readonly checksum: string } {
    const [[rows, ...texts] = []] = this.#all(checkedTextsOf(table, range));
    return { rows: Number(rows), checksum: rows === 0 ? '' : sha256(texts.join('|')) };
  }

  /** Returns the times at which the days in a range begin. */
  days(table: CopiedTable, range: Range, timeColumn: string): number[] {
    return this.#all(daysOf(table, range, timeColumn, DAY_MS)).map(([day]) => Number(day));
  }

  close(): void {
    this.#database.close();
    this.#lock?.release();
  }

  #table(name: string) {
    const columns = this.#all({
      text: 'SELECT name, pk FROM pragma_table_info(?) ORDER BY cid',
      values: [name],
    });
    const key = columns
      .filter(([, pk]) => Number(pk) > 0)
      .toSorted(([, one], [, other]) => Number(one) - Number(other));
    const references = this.#all({
      text: 'SELECT "table" FROM pragma_foreign_key_list(?)',
      values: [name],
    });
    return {
      name,
      columns: columns.map(([column]) => String(column)),
      key: key.map(([column]) => String(column)),
      refersTo: references.map(([other]) => String(other)),
    };
  }

  #all({ text, values }: Query): (number | string | null)[][] {
    try {
      return readArrays<number | string | null>(this.#database, text, values);
    } catch (error) {
      throw new MoveError(`cannot read ${join(this.folder, DATABASE_FILE)}: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
}

function takeLock(folder: string): DataFolderLock {
  try {
    return lockDataFolder(folder);
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    throw new MoveError(error.message, {
      cause: error,
      cure: 'Stop the service first: what it stored during the copy would be missing.',
    });
  }
}

/** Refuses an older version; a newer version was refused before. */
function refuseOtherVersion(version: number, folder: string): void {
  if (version === MIGRATIONS.length) return;
  throw new MoveError(
    `the store in ${folder} was written by an older version (schema ${version}, this one has ${MIGRATIONS.length})`,
    {
      cure: 'Start this version once on it without GRANARY_DATABASE_URL, which upgrades it, and stop it again.',
    },
  );
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Keeps NULL as it is, because SQLite would make an empty text of it. */
const unlessNull = (name: string, text: string): string => `CASE WHEN ${name} IS NOT NULL THEN ${text} END`;

const DIALECT = { keyColumn: ({ name }: Column) => name, placeholder: () => '?' };

/** Selects the rows of a range in the order of their keys; otherwise each aggregate could choose another order. */
function ordered(table: CopiedTable, range: Range) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  const order = table.key.length === 0 ? '' : `ORDER BY ${namesOf(table.key).join(', ')}`;
  return {
    rows: `(SELECT ${namesOf(table.columns).join(', ')} FROM ${table.name} ${condition} ${order})`,
    values,
  };
}

/** Selects each column of a range as one array. */
function arraysOf(table: CopiedTable, range: Range) {
  const { rows, values } = ordered(table, range);
  const arrays = table.columns.map(
    ({ name, kind }) => `'{' || group_concat(coalesce(${ARRAY_ELEMENT[kind](name)}, 'NULL')) || '}'`,
  );
  return { text: `SELECT ${arrays.join(', ')} FROM ${rows}`, values };
}

/** Selects the number of rows of a range, and each of its columns as one text. */
function checkedTextsOf(table: CopiedTable, range: Range) {
  const { rows, values } = ordered(table, range);
  const texts = table.columns.map(
    ({ name, kind }) => `group_concat(coalesce(${CHECKED_TEXT[kind](name)}, '-'))`,
  );
  return { text: `SELECT COUNT(*), ${texts.join(', ')} FROM ${rows}`, values };
}

/** Selects the key of the last row of a batch of this size; there is no row if fewer are left. */
function lastKeyOf(table: CopiedTable, range: Range, size: number) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  const key = namesOf(table.key).join(', ');
  return {
    text: `SELECT ${key} FROM ${table.name} ${condition} ORDER BY ${key} LIMIT 1 OFFSET ${size - 1}`,
    values,
  };
}

/** Selects the days of the rows of a range. */
function daysOf(table: CopiedTable, range: Range, timeColumn: string, dayMs: number) {
  const { condition, values } = conditionOf(table, range, DIALECT);
  return {
    text: `SELECT DISTINCT ${timeColumn} / ${dayMs} * ${dayMs} FROM ${table.name} ${condition}`,
    values,
  };
}
