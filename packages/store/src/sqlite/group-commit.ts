import type { DatabaseSync } from 'node:sqlite';
import type { UseCases } from '../engine.ts';
import { storageUnavailable } from '../errors.ts';
import { RowMemory } from '../row-memory.ts';
import { translate } from './errors.ts';
import { type Job, monotonicMs, type Outcome, packError } from './messages.ts';
import { SqliteSql } from './sql.ts';

/**
 * Runs many writes with one commit, so that they share the wait for the disk. Each has a savepoint, so a failing one rolls
 * back only its own changes. If the commit fails, all fail.
 */
export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #memory = new RowMemory();
  readonly #sql: SqliteSql;
  readonly #callUseCase: UseCases['callUseCase'];
  #dataVersion: number | undefined;

  constructor(database: DatabaseSync, callUseCase: UseCases['callUseCase']) {
    this.#database = database;
    this.#callUseCase = callUseCase;
    this.#sql = new SqliteSql(database, this.#memory);
  }

  /** Takes each job when the one before it has ended. `waiting` gives the jobs that fail too when no transaction can begin. */
  async run(jobs: Iterable<Job>, waiting: () => readonly Job[] = () => []): Promise<Outcome[]> {
    const begun: Job[] = [];
    try {
      const outcomes: Outcome[] = [];
      for (const job of jobs) {
        begun.push(job);
        if (begun.length === 1) await this.#begin(begun, waiting);
        outcomes.push(await this.#runOne(job));
      }
      if (begun.length > 0) await this.#sql.run('COMMIT');
      return outcomes;
    } catch (error) {
      this.#memory.clear();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      const failure = packError(translate(error));
      return begun.map(({ id }) => ({ id, failure }));
    }
  }

  /** Each of the waiting jobs would wait for the same lock as the first one, one after the other. */
  async #begin(begun: Job[], waiting: () => readonly Job[]): Promise<void> {
    try {
      await this.#sql.run('BEGIN IMMEDIATE');
      await this.#forgetIfOthersWrote();
    } catch (error) {
      begun.push(...waiting());
      throw error;
    }
  }

  /** The version changes with every commit of another connection, which a second process or a test may have. */
  async #forgetIfOthersWrote(): Promise<void> {
    const [row] = await this.#sql.query<[version: number]>('PRAGMA data_version');
    if (row?.[0] === this.#dataVersion) return;
    this.#memory.clear();
    this.#dataVersion = row?.[0];
  }

  async #runOne({ id, call, expiresAtMs }: Job): Promise<Outcome> {
    // The caller already got the answer that the outcome is unknown; a write that waited for a lock must not run much later.
    if (monotonicMs() >= expiresAtMs) return { id, failure: packError(storageUnavailable('given up')) };
    await this.#sql.run('SAVEPOINT job');
    try {
      const result = call === null ? undefined : await this.#callUseCase(this.#sql, call);
      await this.#sql.run('RELEASE job');
      return { id, result };
    } catch (error) {
      // Without space or memory the engine may have rolled back the whole transaction, including the other writes.
      if (!this.#database.isTransaction) throw error;
      this.#memory.clear();
      await this.#sql.run('ROLLBACK TO job');
      await this.#sql.run('RELEASE job');
      return { id, failure: packError(error) };
    }
  }
}
