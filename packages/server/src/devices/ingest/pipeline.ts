import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import { countOf, type PackedReadings } from '@granary/core/telemetry/readings';
import { isStorageFault } from '@granary/store/errors';
import {
  type Arrival,
  batchOf,
  countedSize,
  type Entry,
  type PackedBatch,
  type PlainReceiver,
} from './batch.ts';
import type { IngestCounters } from './counters.ts';
import { Outage } from './outage.ts';
import { IngestQueue } from './queue.ts';

/** One batch is written while the next is already prepared, so that the writer never waits for this thread. */
const INCOMPLETE_BATCHES_MAX = 2;
/** Beyond this, HTTP callers are refused and asked to try again. */
export const QUEUE_READINGS_MAX = 50_000;
/**
 * Beyond this, messages of the link are refused, which closes their connection; devices send unacknowledged messages again.
 * Before that, reading from each device is paused. About 200 MiB, or minutes of an outage with thousands of devices.
 */
export const HELD_READINGS_MAX = 400_000;

/** Writes batches, and says how large and how many at a time they should be. */
interface BatchWriter {
  readonly append: (batch: PackedBatch) => Promise<unknown>;
  readonly batches: {
    readonly readings: number;
    /** Batches that may be under way at the same time while enough messages wait to fill a further one. */
    readonly underWay: number;
    /** How long a batch of few readings waits for more after the last one was begun. */
    readonly gatherMs: number;
  };
}

/** A commit on PostgreSQL costs about ten round trips, however many readings it has. */
const FEW_READINGS = 64;

/**
 * The writer of SQLite puts as many batches into one commit as it can write in 10 ms. A stop waits for the running one only, so a
 * batch has few readings: about 1 ms of work, and enough are under way to fill two commits. On PostgreSQL stops have connections of their own, and a batch costs many round trips.
 */
const BATCHES = {
  sqlite: { readings: 500, underWay: 16, gatherMs: 0 },
  postgres: { readings: 5_000, underWay: 2, gatherMs: 10 },
} as const;

export const batchWriter = (engine: keyof typeof BATCHES, append: BatchWriter['append']): BatchWriter => ({
  append,
  batches: BATCHES[engine],
});

interface PipelineParts extends BatchWriter {
  readonly heldReadingsMax?: number;
  readonly counters: IngestCounters;
  /** The logger, or what passes its lines to another thread. */
  readonly logger: Readonly<Record<'error' | 'info', (fields: object, text: string) => void>>;
}

/**
 * Collects messages and writes them in batches: all messages of one turn of the event loop share a commit, and more of them
 * under load. A submission resolves when it is on disk. A batch that fails is split until only the message is left that
 * causes the failure. While the storage is not available, messages are held and tried again.
 */
export class IngestPipeline {
  readonly #parts: PipelineParts;
  readonly #queue = new IngestQueue();
  readonly #outage = new Outage(() => this.#planTurn());
  /** Readings of the batches that are being written. */
  #underWayReadings = 0;
  #isTurnPlanned = false;
  #gathering: NodeJS.Timeout | null = null;
  #lastBatchAtMs = Number.NEGATIVE_INFINITY;
  readonly #writing = new Set<Promise<void>>();
  #isDraining = false;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  get queuedReadings(): number {
    return this.#queue.readings;
  }

  /** True while messages wait for the storage. */
  get isHolding(): boolean {
    return this.#outage.fault !== null;
  }

  hasRoom(): boolean {
    return this.queuedReadings < QUEUE_READINGS_MAX;
  }

  /** Fails when the storage is not available. */
  submit(arrival: Arrival): Promise<void> {
    if (this.#outage.fault !== null) return Promise.reject(this.#outage.fault);
    return this.#enqueue(arrival, false);
  }

  /** Waits while the storage is not available. */
  submitHeld(arrival: Arrival): Promise<void> {
    if (!this.#isFull) return this.#enqueue(arrival, true);
    this.#parts.counters.refusedWhenFull++;
    return Promise.reject(new Refusal('ingest_busy', 'too many readings are waiting to be written'));
  }

  /** The same as `submitHeld` for a usual message; false when it has to be submitted like others. Its readings are copied. */
  submitPlain(readings: PackedReadings, seenAtMs: number, receiver: PlainReceiver, message: number): boolean {
    if (this.#isFull || !this.#queue.addPlain(readings, seenAtMs, receiver, message)) return false;
    this.#planTurn();
    return true;
  }

  get #isFull(): boolean {
    return this.queuedReadings >= (this.#parts.heldReadingsMax ?? HELD_READINGS_MAX);
  }

  /** Resolves when everything submitted so far is written or refused; from now on nothing is held. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#planTurn();
    if (this.#outage.fault !== null && this.#writing.size === 0) this.#failHeld(this.#outage.fault);
    while (!this.#queue.isEmpty || this.#writing.size > 0) {
      const next = this.#writing.size > 0 ? this.#writing : [new Promise((resolve) => setImmediate(resolve))];
      await Promise.race(next);
    }
  }

  #enqueue(arrival: Arrival, isHeld: boolean): Promise<void> {
    const stored = this.#queue.add(arrival, isHeld);
    this.#planTurn();
    return stored;
  }

  /** While little waits, more of it is gathered for the next batch; during an outage one batch at a time is tried. */
  get #batchesMax(): number {
    if (this.isHolding) return 1;
    const { readings, underWay } = this.#parts.batches;
    return this.#waitingReadings >= readings ? underWay : INCOMPLETE_BATCHES_MAX;
  }

  get #waitingReadings(): number {
    return this.queuedReadings - this.#underWayReadings;
  }

  #planTurn(): void {
    if (this.#isTurnPlanned || this.#outage.isPausing || this.#writing.size >= this.#batchesMax) return;
    const waitMs = this.#gatherLeftMs;
    if (waitMs > 0) {
      this.#gathering ??= setTimeout(() => this.#gathered(), waitMs);
      return;
    }
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#isTurnPlanned = true;
    setImmediate(() => this.#takeTurn());
  }

  get #gatherLeftMs(): number {
    const { gatherMs } = this.#parts.batches;
    const isFew = this.#waitingReadings < FEW_READINGS;
    if (gatherMs === 0 || !isFew || this.#isDraining) return 0;
    return this.#lastBatchAtMs + gatherMs - performance.now();
  }

  #gathered(): void {
    this.#gathering = null;
    this.#takeTurn();
  }

  #takeTurn(): void {
    this.#isTurnPlanned = false;
    if (this.#queue.isEmpty || this.#outage.isPausing) return;
    this.#lastBatchAtMs = performance.now();
    const batch = this.#queue.takeBatch(this.#parts.batches.readings);
    const size = batch.reduce((sum, entry) => sum + countedSize(entry), 0);
    this.#underWayReadings += size;
    const written = this.#write(batch).finally(() => {
      this.#underWayReadings -= size;
      this.#writing.delete(written);
      if (!this.#queue.isEmpty) this.#planTurn();
    });
    this.#writing.add(written);
    if (!this.#queue.isEmpty) this.#planTurn();
  }

  /** The promise never rejects. */
  async #write(batch: readonly Entry[]): Promise<void> {
    const rows = batchOf(batch);
    const count = countOf(rows.readings);
    const startedMs = performance.now();
    try {
      await this.#parts.append(rows);
    } catch (error) {
      if (isStorageFault(error)) return this.#hold(batch, error);
      const parts = this.#queue.partsOf(batch);
      if (parts.length > 1) {
        const middle = parts.length >> 1;
        await this.#write(parts.slice(0, middle));
        return await this.#write(parts.slice(middle));
      }
      this.#parts.counters.unstorableArrivals++;
      for (const { waiting } of parts) this.#queue.fail(waiting, error);
      return;
    }
    const { counters } = this.#parts;
    counters.batchSeconds.observe((performance.now() - startedMs) / SECOND_MS);
    // The buffer itself may be in another thread now.
    counters.batchReadings.observe(count);
    counters.storedReadings += count;
    this.#endOutage();
    for (const entry of batch) counters.storedMessages += this.#queue.written(entry);
  }

  /** Puts back the messages that can wait, and fails the others. */
  #hold(batch: readonly Entry[], fault: Refusal): void {
    const { counters, logger } = this.#parts;
    counters.storageFaults++;
    this.#queue.putBack(batch);
    if (this.#isDraining) return void this.#failHeld(fault);
    this.#queue.failUnheld(fault);
    if (this.#outage.isPausing) return;
    // Without a message that waits no success could end the outage.
    if (this.#queue.isEmpty) return void this.#outage.end();
    if (!this.isHolding) logger.error({ err: fault }, 'storage not available: readings are held back');
    this.#outage.failed(fault);
  }

  #endOutage(): void {
    if (!this.isHolding) return;
    this.#outage.end();
    this.#parts.logger.info({ held: this.queuedReadings }, 'storage available again: readings are written');
    this.#planTurn();
  }

  #failHeld(fault: Refusal): void {
    this.#outage.end();
    this.#queue.failAll(fault);
  }
}
