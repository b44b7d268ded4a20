import { HOUR_MS } from '@granary/contract/time';
import type { Connections } from './connections.ts';
import type { Partitions, StoredDay } from './partitions.ts';
import { queueOf, type StatementQueue } from './statement-queue.ts';
import { inTransaction } from './transaction.ts';

/** An arbitrary advisory lock number, so that only one node at a time drops a partition. */
const DROP_LOCK = 7_281_540_013;

/** How long to wait for the transactions that may still read the day. */
const DETACH_MS_MAX = 2_000;

/** The limit for finishing an interrupted detachment. It is short, because no new days can be attached meanwhile. */
const FINISH_MS_MAX = 1_000;

/** The interval of the check whether the coming days have partitions. */
const PREPARE_AHEAD_EVERY_MS = HOUR_MS;

/** The work on partitions that is not a part of writes: the next days are added in time, and old ones are dropped. */
export class PartitionUpkeep {
  readonly #connections: Connections;
  readonly #partitions: Partitions;
  readonly #dropMsMax: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(connections: Connections, partitions: Partitions, dropMsMax: number) {
    this.#connections = connections;
    this.#partitions = partitions;
    this.#dropMsMax = dropMsMax;
  }

  async start(): Promise<void> {
    await this.#prepareAhead();
    this.#timer = setInterval(() => void this.#prepareAhead(), PREPARE_AHEAD_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Drops the day that a write has marked. A failure is no failure of the write, which is committed: a later write tries it again. */
  async dropMarked(): Promise<void> {
    const day = this.#partitions.takeDayToDrop();
    if (day === null) return;
    this.#partitions.forget();
    try {
      await this.#connections.use((client) => dropPartition(queueOf(client), day), this.#dropMsMax);
    } catch {
      this.#partitions.postponeDrop();
    }
  }

  /** Ignores a failure, so that the database can be opened: the first batch of a day also adds its partition. */
  async #prepareAhead(): Promise<void> {
    await inTransaction(this.#connections, (statements) =>
      this.#partitions.prepareAhead(statements, Date.now()),
    ).catch(() => undefined);
  }
}

/**
 * Drops a day. Detaching it concurrently waits for the transactions that may read it, such as a dump, and holds no lock
 * meanwhile. If the wait is too long, the day stays half detached and invisible to new statements, and a later attempt finishes
 * it. This is not possible inside a transaction.
 */
async function dropPartition(
  statements: StatementQueue,
  { name, isAttached, isHalfDetached }: StoredDay,
): Promise<void> {
  const { rows } = await statements.script(`SELECT pg_try_advisory_lock(${DROP_LOCK})`);
  if (rows[0]?.[0] !== true) throw new Error('another node drops a partition');
  try {
    if (isHalfDetached) {
      await limited(statements, FINISH_MS_MAX, `ALTER TABLE readings DETACH PARTITION ${name} FINALIZE`);
    } else if (isAttached) {
      await limited(statements, DETACH_MS_MAX, `ALTER TABLE readings DETACH PARTITION ${name} CONCURRENTLY`);
    }
    await limited(statements, FINISH_MS_MAX, `DROP TABLE IF EXISTS ${name}`);
  } finally {
    await statements.script(
      `RESET statement_timeout; RESET lock_timeout; SELECT pg_advisory_unlock(${DROP_LOCK})`,
    );
  }
}

/**
 * Runs a statement with a limit. The lock has no limit of its own, because that would also end the wait for transactions, which
 * the limit of the statement ends.
 */
async function limited(statements: StatementQueue, limitMs: number, text: string): Promise<void> {
  await statements.script(`SET lock_timeout = 0; SET statement_timeout = ${limitMs}`);
  await statements.script(text);
}
