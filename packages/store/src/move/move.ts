import { createHash } from 'node:crypto';
import { MoveError } from '../errors.ts';
import { type Column, type CopiedTable, type Range, rowsPerBatch } from './copied-table.ts';
import { MoveSource, type SourceTable } from './source.ts';
import {
  MoveTarget,
  type Progress,
  type TableProgress,
  type TargetColumn,
  type TargetState,
} from './target.ts';
import { KINDS } from './target-sql.ts';

/** The table with partitions, which are selected by a time. */
const PARTITIONED = 'readings';
const PARTITION_TIME = 'ts_ms';
const NOT_BEGUN: TableProgress = { rows: 0, after: null, isCopied: false };

interface TableCount {
  readonly name: string;
  readonly rows: number;
}

/** The description of a move before it is done. */
export interface MovePlan {
  readonly from: string;
  /** The address of the database, without user name and password. */
  readonly to: string;
  readonly bytes: number;
  readonly rows: number;
  readonly tables: readonly TableCount[];
  /** `begin_again` means that there is an unfinished copy of this store, which has changed since. */
  readonly action: 'begin' | 'resume' | 'begin_again';
  /** The number of rows that an unfinished copy has already. */
  readonly rowsCopied: number;
}

export interface MoveStep {
  readonly phase: 'copying' | 'checking';
  readonly table: string;
  /** The rows that are done in this phase. */
  readonly rowsDone: number;
  readonly rows: number;
}

export interface MoveOptions {
  readonly onProgress?: (step: MoveStep) => void;
  readonly signal?: AbortSignal;
}

export interface MovedTable extends TableCount {
  /** The checksum of all rows, which is the same on both sides. */
  readonly checksum: string;
}

/** Copies an embedded store to PostgreSQL, and refuses everything that could mix or lose data. */
export class Move {
  readonly plan: MovePlan;
  readonly #source: MoveSource;
  readonly #target: MoveTarget;
  readonly #state: TargetState;
  #progress: Progress = {};

  private constructor(source: MoveSource, target: MoveTarget, state: TargetState) {
    const tables = source.tables().map(({ name }) => ({ name, rows: source.count(name) }));
    const action = actionOf(source, state);
    const progress = state.kind === 'unfinished' && action === 'resume' ? state.progress : {};
    this.#source = source;
    this.#target = target;
    this.#state = state;
    this.#progress = progress;
    this.plan = {
      from: source.folder,
      to: target.address,
      bytes: source.bytes,
      tables,
      action,
      rows: sum(tables.map(({ rows }) => rows)),
      rowsCopied: sum(Object.values(progress).map(({ rows }) => rows)),
    };
  }

  /** Opens a move. Both sides are locked, except for a dry run. */
  static async open(folder: string, url: string, { isDryRun = false } = {}): Promise<Move> {
    const source = MoveSource.open(folder, !isDryRun);
    let target: MoveTarget | undefined;
    try {
      target = await MoveTarget.open(url);
      if (!isDryRun) await target.lock();
      const state = await target.state();
      refuseOtherStore(source, target, state);
      return new Move(source, target, state);
    } catch (error) {
      source.close();
      await target?.close();
      throw error;
    }
  }

  /** Copies all rows, then compares all of them, then lets services use the database. */
  async run({ onProgress, signal }: MoveOptions = {}): Promise<MovedTable[]> {
    const names = this.plan.tables.map(({ name }) => name);
    if (this.#state.kind === 'empty') await this.#target.createTables(names, this.#source.identity);
    if (this.plan.action === 'begin_again') await this.#target.beginAgain(names, this.#source.identity);
    const columns = await this.#target.columns();
    const tables = copiedTables(this.#source.tables(), columns);
    const report = (phase: MoveStep['phase'], table: string, rowsDone: number): void => {
      refuseAborted(signal);
      onProgress?.({ phase, table, rowsDone, rows: this.plan.rows });
    };
    for (const table of tables) await this.#copy(table, report);
    const moved: MovedTable[] = [];
    for (const table of tables) {
      moved.push(await this.#check(table, sum(moved.map(({ rows }) => rows)), report));
    }
    refuseAborted(signal);
    const generated = columns.filter(({ table, isGenerated }) => isGenerated && names.includes(table));
    await this.#target.finish(names, generated);
    return moved;
  }

  async close(): Promise<void> {
    this.#source.close();
    await this.#target.close();
  }

  /** Copies a table; while the server stores a batch, the next one is read. */
  async #copy(table: CopiedTable, report: Report): Promise<void> {
    const begun = this.#progress[table.name] ?? NOT_BEGUN;
    if (begun.isCopied) return;
    let storing: Promise<void> = Promise.resolve();
    let { rows } = begun;
    const rowsBefore = sum(Object.values(this.#progress).map((of) => of.rows)) - rows;
    for (const range of this.#source.ranges(table, begun.after)) {
      const arrays = this.#source.arrays(table, range);
      await storing;
      report('copying', table.name, rowsBefore + rows);
      rows += arrays === null ? 0 : this.#rowsOf(table, range, rows);
      this.#progress = {
        ...this.#progress,
        [table.name]: { rows, after: range.upTo ?? range.after, isCopied: range.upTo === null },
      };
      storing = this.#store(table, range, arrays);
      // The next call of the source blocks this thread, so the batch must be sent before.
      storing.catch(() => undefined);
      await nextTurn();
    }
    await storing;
  }

  /** Returns the number of rows in a range; the last range of a table has the rest of its rows. */
  #rowsOf(table: CopiedTable, range: Range, rowsBefore: number): number {
    if (range.upTo !== null) return rowsPerBatch(table);
    const all = this.plan.tables.find(({ name }) => name === table.name)?.rows ?? 0;
    return all - rowsBefore;
  }

  async #store(table: CopiedTable, range: Range, arrays: readonly string[] | null): Promise<void> {
    const progress = this.#progress;
    if (arrays === null) return await this.#target.saveProgress(progress);
    if (table.name === PARTITIONED) {
      await this.#target.prepareDays(this.#source.days(table, range, PARTITION_TIME));
    }
    await this.#target.append(table, arrays, progress);
  }

  async #check(table: CopiedTable, rowsBefore: number, report: Report): Promise<MovedTable> {
    const checksum = createHash('sha256');
    let rows = 0;
    for (const range of this.#source.ranges(table, null)) {
      report('checking', table.name, rowsBefore + rows);
      const copying = this.#target.checksum(table, range);
      copying.catch(() => undefined);
      await nextTurn();
      const original = this.#source.checksum(table, range);
      const copy = await copying;
      if (copy.rows !== original.rows || copy.checksum !== original.checksum)
        throw differs(table, original.rows, copy.rows);
      rows += original.rows;
      checksum.update(original.checksum);
    }
    return { name: table.name, rows, checksum: checksum.digest('hex') };
  }
}

type Report = (phase: MoveStep['phase'], table: string, rowsDone: number) => void;

function actionOf({ identity }: MoveSource, state: TargetState): MovePlan['action'] {
  if (state.kind === 'empty') return 'begin';
  return state.state === identity.state ? 'resume' : 'begin_again';
}

function refuseOtherStore({ identity }: MoveSource, { address }: MoveTarget, state: TargetState): void {
  if (state.kind === 'empty' || state.store === identity.store) return;
  throw new MoveError(`the database at ${address} has an unfinished copy of another store`, {
    cure: 'Finish that one, or create an empty database and name that.',
  });
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new MoveError('interrupted; the store is unchanged and the copy is not finished', {
    kind: 'interrupted',
    cure: 'Repeat the command: it goes on where it stopped.',
  });
}

const differs = ({ name }: CopiedTable, rows: number, copiedRows: number): MoveError =>
  new MoveError(
    rows === copiedRows
      ? `the copy of the table ${name} differs from the original`
      : `the copy of the table ${name} differs from the original: ${copiedRows} rows instead of ${rows}`,
    { cure: 'Create an empty database and name that. The store is unchanged.' },
  );

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Returns the tables of the embedded store with the types that their columns have in PostgreSQL. Other tables there stay empty
 * at first.
 */
function copiedTables(source: readonly SourceTable[], target: readonly TargetColumn[]): CopiedTable[] {
  const kinds = new Map(target.map(({ table, name, type }) => [`${table}.${name}`, KINDS[type]]));
  return source.map(({ name, columns, key }) => {
    const columnOf = (column: string): Column => {
      const kind = kinds.get(`${name}.${column}`);
      if (kind === undefined)
        throw new MoveError(`PostgreSQL has no place for the column ${column} of ${name}`);
      return { name: column, kind };
    };
    return { name, columns: columns.map(columnOf), key: key.map(columnOf) };
  });
}
