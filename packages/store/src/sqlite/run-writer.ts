import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { monotonicMs } from '@granary/common/monotonic-ms';
import { packError } from '@granary/contract/errors';
import type { UseCases } from '../engine.ts';
import { storageUnavailable } from '../errors.ts';
import { openWriter } from './database.ts';
import { translate } from './errors.ts';
import { SqliteSql } from './sql.ts';
import type { Job, Outcome, Request } from './writer-client.ts';

/** After this much work a group is committed, so that an urgent write that arrives meanwhile does not wait for longer. */
const GROUP_MS_MAX = 10;

const JOBS_PER_GROUP_MAX = 256;

interface WriterData {
  readonly file: string;
  readonly commits: Int32Array;
}

/** The use cases in the thread of the writer. */
interface ThreadUseCases extends Pick<UseCases, 'callUseCase'> {
  /** Is called when changes are rolled back, and when another connection has made changes: rows in memory may be outdated. */
  forgetRows(): void;
}

/** Runs the writes of the main thread and of the threads with their own ports, until the main thread closes the writer. */
export function runWriter(useCases: ThreadUseCases): void {
  if (parentPort === null) throw new Error('the writer runs in a thread of its own');
  const { file, commits }: WriterData = workerData;
  /** The ports of the main thread and of the threads that write directly. */
  const ports: MessagePort[] = [];
  const database = openWriter(file);
  const groupCommit = new GroupCommit(database, useCases);

  const queue = new JobQueue<ArrivedJob>();
  let isClosing = false;
  let working = false;

  listenTo(parentPort);

  function listenTo(port: MessagePort): void {
    ports.push(port);
    port.on('message', (request: Request) => {
      take(request, port);
      if (!working) void work();
    });
  }

  function take(request: Request, from: MessagePort): void {
    if (request === 'close') isClosing = true;
    else if ('port' in request) listenTo(request.port);
    else queue.add({ ...request, from });
  }

  function takeArrived(): void {
    for (const port of ports) {
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
        take(more.message, port);
      }
    }
  }

  /** The writes that arrive while one group is written form the next group. */
  async function work(): Promise<void> {
    working = true;
    for (takeArrived(); !queue.isEmpty; takeArrived()) {
      const outcomes = await groupCommit.run(queue.nextGroup(takeArrived), () => queue.takeAll());
      Atomics.add(commits, 0, 1);
      for (const [port, own] of Map.groupBy(outcomes, ([{ from }]) => from))
        port.postMessage(own.map(([, outcome]) => outcome));
    }
    working = false;
    if (isClosing) {
      database.close();
      for (const port of ports) port.close();
    }
  }
}

/** A job with the port that gets its outcome. */
type ArrivedJob = Job & { readonly from: MessagePort };

type Done = readonly [job: ArrivedJob, outcome: Outcome];

/**
 * Runs many writes with one commit, so that they share the wait for the disk. Each has a savepoint, so a failing one rolls
 * back only its own changes. If the commit fails, all fail.
 */
class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #sql: SqliteSql;
  readonly #useCases: ThreadUseCases;
  #dataVersion: number | undefined;

  constructor(database: DatabaseSync, useCases: ThreadUseCases) {
    this.#database = database;
    this.#useCases = useCases;
    this.#sql = new SqliteSql(database);
  }

  /**
   * Runs the jobs in one transaction, taking each when the one before it has ended. `waiting` returns the jobs that also fail
   * if no transaction can begin.
   */
  async run(jobs: Iterable<ArrivedJob>, waiting: () => readonly ArrivedJob[]): Promise<Done[]> {
    const begun: ArrivedJob[] = [];
    try {
      const outcomes: Done[] = [];
      for (const job of jobs) {
        begun.push(job);
        if (begun.length === 1) await this.#begin(begun, waiting);
        outcomes.push([job, await this.#runOne(job)]);
      }
      if (begun.length > 0) await this.#sql.run('COMMIT');
      return outcomes;
    } catch (error) {
      this.#useCases.forgetRows();
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      const failure = packError(translate(error));
      return begun.map((job) => [job, { id: job.id, failure }]);
    }
  }

  /**
   * Begins a transaction. If that fails, the waiting jobs fail, too: each would wait for the same lock as the first one, one
   * after the other.
   */
  async #begin(begun: ArrivedJob[], waiting: () => readonly ArrivedJob[]): Promise<void> {
    try {
      await this.#sql.run('BEGIN IMMEDIATE');
      await this.#forgetIfOthersWrote();
    } catch (error) {
      begun.push(...waiting());
      throw error;
    }
  }

  /** Forgets rows if another connection, of a second process or a test, has committed, which changes the version. */
  async #forgetIfOthersWrote(): Promise<void> {
    const [[dataVersion] = []] = await this.#sql.queryArrays<[number]>('PRAGMA data_version');
    if (dataVersion === this.#dataVersion) return;
    this.#useCases.forgetRows();
    this.#dataVersion = dataVersion;
  }

  async #runOne({ id, call, expiresAtMs }: Job): Promise<Outcome> {
    // The caller already got the answer that the outcome is unknown; a write that waited for a lock must not run much later.
    if (monotonicMs() >= expiresAtMs) return { id, failure: packError(storageUnavailable('given up')) };
    await this.#sql.run('SAVEPOINT job');
    try {
      const result = call === null ? undefined : await this.#useCases.callUseCase(this.#sql, call);
      await this.#sql.run('RELEASE job');
      return { id, result };
    } catch (error) {
      // Without space or memory the engine may have rolled back the whole transaction, including the other writes.
      if (!this.#database.isTransaction) throw error;
      this.#useCases.forgetRows();
      await this.#sql.run('ROLLBACK TO job');
      await this.#sql.run('RELEASE job');
      return { id, failure: packError(error) };
    }
  }
}

/** Decides which waiting jobs share the next commit. */
export class JobQueue<Waiting extends Pick<Job, 'isUrgent'>> {
  readonly #urgent: Waiting[] = [];
  readonly #others: Waiting[] = [];
  readonly #nowMs: () => number;
  /** True if the last group left other jobs waiting because of an urgent one; then the next group takes one of them in any case. */
  #haveOthersWaited = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#urgent.length === 0 && this.#others.length === 0;
  }

  add(job: Waiting): void {
    (job.isUrgent ? this.#urgent : this.#others).push(job);
  }

  /**
   * Returns the jobs of one group. Each is chosen when the one before it has ended, so that an urgent job waits for one other
   * job at most. `refill` adds the jobs that have arrived meanwhile. A group with urgent jobs ends after them, and takes one
   * other job only if the last group left others waiting.
   */
  *nextGroup(refill: () => void): Generator<Waiting, void> {
    const startedMs = this.#nowMs();
    const mustTakeOther = this.#haveOthersWaited;
    this.#haveOthersWaited = false;
    let hasUrgent = false;
    let hasOther = false;
    for (let count = 0; count < JOBS_PER_GROUP_MAX; count++) {
      refill();
      const urgent = this.#urgent.shift();
      if (urgent !== undefined) {
        hasUrgent = true;
        yield urgent;
        continue;
      }
      const isOver = hasUrgent ? hasOther || !mustTakeOther : this.#nowMs() - startedMs >= GROUP_MS_MAX;
      if (isOver && (hasUrgent || hasOther)) break;
      const other = this.#others.shift();
      if (other === undefined) break;
      hasOther = true;
      yield other;
    }
    this.#haveOthersWaited = hasUrgent && !hasOther && this.#others.length > 0;
  }

  /** Removes all waiting jobs, because none of them can be written now. */
  takeAll(): Waiting[] {
    return [...this.#urgent.splice(0), ...this.#others.splice(0)];
  }
}
