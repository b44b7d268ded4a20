import { HOUR_MS } from '@granary/contract/time';
import type { Connections } from './connections.ts';
import { dropPartition } from './drop-partition.ts';
import type { Partitions } from './partitions.ts';
import { queueOf } from './statement-queue.ts';
import { inTransaction } from './transaction.ts';

/** How often it is looked whether the coming days have partitions. */
const PREPARE_AHEAD_EVERY_MS = HOUR_MS;

/** What is done about partitions apart from the writes: the next days are added in time, and old ones dropped. */
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

  /** For a write that has marked a day. A failure is none of the write, which is committed: a later one tries it again. */
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

  /** A failure is no reason not to open: the first batch of a day adds its partition, too. */
  async #prepareAhead(): Promise<void> {
    await inTransaction(this.#connections, (statements) =>
      this.#partitions.prepareAhead(statements, Date.now()),
    ).catch(() => undefined);
  }
}
