import type { NewRejection } from '@granary/app/presence-rows';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { outsideRequest } from '@granary/common/request-time';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import type { MessageReception } from '@granary/core/reception/reception';
import { type PackedReadings, packReadings } from '@granary/core/telemetry/packed-readings';
import type { Reading } from '@granary/core/telemetry/readings';
import { isStorageFault } from '@granary/store/errors';
import type { IngestCounters } from './counters.ts';

/**
 * The limit for one device applies also when no other device waits, because messages that arrive during a write wait for it.
 * Implausible readings take the longest to write: 5,000 of them would take 300 ms.
 */
const BATCH_READINGS_OF_DEVICE_MAX = 100;
/** One batch is written while the next is already prepared, so that the writer never waits for this thread. */
const INCOMPLETE_BATCHES_MAX = 2;
/** Beyond this, HTTP callers are refused and asked to try again. */
export const QUEUE_READINGS_MAX = 50_000;
/**
 * Beyond this, messages of the link are refused, which closes their connection; devices send unacknowledged messages again.
 * Before that, reading from each device is paused. About 200 MiB, or minutes of an outage with thousands of devices.
 */
export const HELD_READINGS_MAX = 400_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 2 * SECOND_MS;

export interface Batch extends TelemetryBatch {
  readonly readings: readonly Reading[];
}

/** As it can be passed to another thread. */
export interface PackedBatch extends TelemetryBatch {
  readonly readings: PackedReadings;
}

/** Writes batches, and says how large and how many at a time they should be. */
interface BatchWriter {
  readonly append: (batch: Batch) => Promise<unknown>;
  readonly batches: {
    readonly readings: number;
    /** Batches that may be under way at the same time while enough messages wait to fill a further one. */
    readonly underWay: number;
  };
}

/**
 * The writer of SQLite puts as many batches into one commit as it can write in 10 ms. A stop waits for the running one only, so a
 * batch has few readings: about 5 ms of work. On PostgreSQL stops have connections of their own, and a batch costs many round trips.
 */
const BATCHES = {
  sqlite: { readings: 500, underWay: 4 },
  postgres: { readings: 5_000, underWay: 2 },
} as const;

export const batchWriter = (
  engine: keyof typeof BATCHES,
  append: (batch: PackedBatch) => Promise<unknown>,
): BatchWriter => ({
  append: (batch) => append({ ...batch, readings: packReadings(batch.readings) }),
  batches: BATCHES[engine],
});

export interface Arrival {
  readonly deviceNo: number;
  readonly seenAtMs: number;
  readonly readings: readonly Reading[];
  readonly rejections: readonly NewRejection[];
  /** `null` for a message that was taken completely, with a right time, and for one without readings. */
  readonly reception: Pick<MessageReception, 'refusal' | 'clockOffsetMs'> | null;
}

interface Waiting {
  readonly arrival: Arrival;
  /** True when the message waits while the storage is not available, instead of failing. */
  readonly isHeld: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** The readings that are not on disk yet; 0 after a failure. */
  unwritten: number;
}

/** A range of the readings of one message. */
interface Part {
  readonly waiting: Waiting;
  readonly from: number;
  readonly to: number;
}

interface PipelineParts extends BatchWriter {
  readonly heldReadingsMax?: number;
  readonly counters: IngestCounters;
  /** The logger, or what passes its lines to another thread. */
  readonly logger: Readonly<Record<'error' | 'info', (fields: object, text: string) => void>>;
}

/** A message without readings also takes a place in the batch. */
const sizeOf = ({ from, to }: Omit<Part, 'waiting'>): number => Math.max(1, to - from);
const wholeOf = (waiting: Waiting): Part => ({ waiting, from: 0, to: waiting.arrival.readings.length });
const deviceOf = ({ waiting }: Part): number => waiting.arrival.deviceNo;

/**
 * Collects messages and writes them in batches: all messages of one turn of the event loop share a commit, and more of them
 * under load. A submission resolves when it is on disk. A batch that fails is split until only the message is left that
 * causes the failure. While the storage is not available, messages are held and tried again.
 */
export class IngestPipeline {
  readonly #parts: PipelineParts;
  #waiting: Part[] = [];
  #queuedReadings = 0;
  /** Those of the batches that are being written. */
  #underWayReadings = 0;
  #isTurnPlanned = false;
  readonly #writing = new Set<Promise<void>>();
  /** Set from a failure of the storage until the next success. */
  #outage: { readonly fault: Refusal; retryMs: number; timer: NodeJS.Timeout | null } | null = null;
  #isDraining = false;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  get queuedReadings(): number {
    return this.#queuedReadings;
  }

  /** True while messages wait for the storage. */
  get isHolding(): boolean {
    return this.#outage !== null;
  }

  hasRoom(): boolean {
    return this.#queuedReadings < QUEUE_READINGS_MAX;
  }

  /** Fails when the storage is not available. */
  submit(arrival: Arrival): Promise<void> {
    if (this.#outage !== null) return Promise.reject(this.#outage.fault);
    // A batch has messages of others, too.
    return outsideRequest(() => this.#enqueue(arrival, false));
  }

  /** Waits while the storage is not available. */
  submitHeld(arrival: Arrival): Promise<void> {
    const { heldReadingsMax = HELD_READINGS_MAX } = this.#parts;
    if (this.#queuedReadings < heldReadingsMax) return this.#enqueue(arrival, true);
    this.#parts.counters.refusedWhenFull++;
    return Promise.reject(new Refusal('ingest_busy', 'too many readings are waiting to be written'));
  }

  /** Resolves when everything submitted so far is written or refused; from now on nothing is held. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    if (this.#outage !== null && this.#writing.size === 0) this.#failHeld(this.#outage.fault);
    while (this.#waiting.length > 0 || this.#writing.size > 0) {
      const next = this.#writing.size > 0 ? this.#writing : [new Promise((resolve) => setImmediate(resolve))];
      await Promise.race(next);
    }
  }

  #enqueue(arrival: Arrival, isHeld: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const whole = wholeOf({ arrival, isHeld, resolve, reject, unwritten: 0 });
      whole.waiting.unwritten = sizeOf(whole);
      this.#waiting.push(whole);
      this.#queuedReadings += sizeOf(whole);
      this.#planTurn();
    });
  }

  /** While little waits, more of it is gathered for the next batch; during an outage one batch at a time is tried. */
  get #batchesMax(): number {
    if (this.#outage !== null) return 1;
    const { readings, underWay } = this.#parts.batches;
    return this.#queuedReadings - this.#underWayReadings >= readings ? underWay : INCOMPLETE_BATCHES_MAX;
  }

  #planTurn(): void {
    if (this.#isTurnPlanned || this.#outage?.timer != null || this.#writing.size >= this.#batchesMax) return;
    this.#isTurnPlanned = true;
    setImmediate(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isTurnPlanned = false;
    if (this.#waiting.length === 0 || this.#outage?.timer != null) return;
    const batch = this.#takeBatch();
    const size = batch.reduce((sum, part) => sum + sizeOf(part), 0);
    this.#underWayReadings += size;
    const written = this.#write(batch).finally(() => {
      this.#underWayReadings -= size;
      this.#writing.delete(written);
      if (this.#waiting.length > 0) this.#planTurn();
    });
    this.#writing.add(written);
    if (this.#waiting.length > 0) this.#planTurn();
  }

  /** Takes messages in the order of arrival, but at most a limited number of readings per device. */
  #takeBatch(): Part[] {
    const { readings: readingsMax } = this.#parts.batches;
    const ofDevice = new Map<number, number>();
    const batch: Part[] = [];
    const left: Part[] = [];
    let readings = 0;
    let position = 0;
    for (; position < this.#waiting.length && readings < readingsMax; position++) {
      const part = this.#waiting[position];
      if (part === undefined || part.waiting.unwritten === 0) continue;
      const used = ofDevice.get(deviceOf(part)) ?? 0;
      const room = Math.min(BATCH_READINGS_OF_DEVICE_MAX - used, readingsMax - readings);
      const { taken, rest } = divide(part, room, used === 0);
      if (rest !== null) left.push(rest);
      // Later messages of this device wait as well, so that its readings are written in order.
      const isWhole = rest === null && taken !== null;
      ofDevice.set(deviceOf(part), isWhole ? used + sizeOf(taken) : BATCH_READINGS_OF_DEVICE_MAX);
      if (taken === null) continue;
      batch.push(taken);
      readings += sizeOf(taken);
    }
    this.#waiting = left.concat(this.#waiting.slice(position));
    return batch;
  }

  /** Never rejects. */
  async #write(batch: readonly Part[]): Promise<void> {
    const rows = batchOf(batch);
    const startedMs = performance.now();
    try {
      await this.#parts.append(rows);
    } catch (error) {
      if (isStorageFault(error)) return this.#hold(batch, error);
      if (batch.length > 1) {
        const middle = batch.length >> 1;
        await this.#write(batch.slice(0, middle));
        return await this.#write(batch.slice(middle));
      }
      this.#parts.counters.unstorableArrivals++;
      for (const { waiting } of batch) this.#fail(waiting, error);
      return;
    }
    const { counters } = this.#parts;
    counters.batchSeconds.observe((performance.now() - startedMs) / SECOND_MS);
    counters.batchReadings.observe(rows.readings.length);
    counters.storedReadings += rows.readings.length;
    this.#endOutage();
    for (const part of batch) this.#written(part);
  }

  #written({ waiting, ...part }: Part): void {
    // Another part of the message has failed before.
    if (waiting.unwritten === 0) return;
    const size = sizeOf(part);
    waiting.unwritten -= size;
    this.#queuedReadings -= size;
    if (waiting.unwritten > 0) return;
    this.#parts.counters.storedMessages++;
    waiting.resolve();
  }

  /** The remaining parts of the message are dropped when they are next in the queue. */
  #fail(waiting: Waiting, error: unknown): void {
    if (waiting.unwritten === 0) return;
    this.#queuedReadings -= waiting.unwritten;
    waiting.unwritten = 0;
    waiting.reject(error);
  }

  /** Puts back the messages that can wait, and fails the others. */
  #hold(batch: readonly Part[], fault: Refusal): void {
    const { counters, logger } = this.#parts;
    counters.storageFaults++;
    this.#waiting = [...batch, ...this.#waiting];
    if (this.#isDraining) return void this.#failHeld(fault);
    for (const { waiting } of this.#waiting) if (!waiting.isHeld) this.#fail(waiting, fault);
    this.#waiting = this.#waiting.filter(({ waiting }) => waiting.unwritten > 0);
    if (this.#outage?.timer != null) return;
    if (this.#waiting.length === 0) {
      // No message is left whose success could end the outage.
      this.#clearOutage();
      return;
    }
    if (this.#outage === null) logger.error({ err: fault }, 'storage not available: readings are held back');
    const retryMs = Math.min(this.#outage === null ? RETRY_MS_MIN : 2 * this.#outage.retryMs, RETRY_MS_MAX);
    const timer = setTimeout(() => this.#retry(), retryMs);
    this.#outage = { fault, retryMs, timer };
  }

  #retry(): void {
    if (this.#outage !== null) this.#outage.timer = null;
    this.#planTurn();
  }

  #endOutage(): void {
    if (this.#outage === null) return;
    this.#clearOutage();
    this.#parts.logger.info({ held: this.#queuedReadings }, 'storage available again: readings are written');
    this.#planTurn();
  }

  #clearOutage(): void {
    if (this.#outage?.timer != null) clearTimeout(this.#outage.timer);
    this.#outage = null;
  }

  #failHeld(fault: Refusal): void {
    this.#clearOutage();
    for (const { waiting } of this.#waiting.splice(0)) this.#fail(waiting, fault);
  }
}

/**
 * Splits a part into what fits into the batch and the rest. An HTTP body is written as a whole or not at all, so only
 * messages of the link are divided.
 */
function divide(part: Part, room: number, isFirst: boolean): { taken: Part | null; rest: Part | null } {
  const { waiting, from, to } = part;
  if (sizeOf(part) <= room || (isFirst && !waiting.isHeld)) return { taken: part, rest: null };
  if (room <= 0 || !waiting.isHeld) return { taken: null, rest: part };
  const middle = from + room;
  return { taken: { waiting, from, to: middle }, rest: { waiting, from: middle, to } };
}

function batchOf(batch: readonly Part[]): Batch {
  const readings: Reading[] = [];
  const rejections: NewRejection[] = [];
  const seenAtMs = new Map<number, number>();
  for (const { waiting, from, to } of batch) {
    const { arrival } = waiting;
    for (let position = from; position < to; position++) {
      const reading = arrival.readings[position];
      if (reading !== undefined) readings.push(reading);
    }
    if (from === 0) for (const rejection of arrival.rejections) rejections.push(rejection);
    seenAtMs.set(arrival.deviceNo, arrival.seenAtMs);
  }
  const seen = Array.from(seenAtMs, ([deviceNo, atMs]) => ({ deviceNo, atMs }));
  return { readings, rejections, seen, receptions: receptionsOf(batch) };
}

/** Usually empty; of a device with an unusual message all messages, because it counts what happened in a row. */
function receptionsOf(batch: readonly Part[]): MessageReception[] {
  const unusual = new Set<number>();
  for (const { waiting, from } of batch) {
    if (from === 0 && waiting.arrival.reception !== null) unusual.add(waiting.arrival.deviceNo);
  }
  if (unusual.size === 0) return [];
  return batch.flatMap(({ waiting, from }) => {
    const { deviceNo, seenAtMs, readings, reception } = waiting.arrival;
    if (from !== 0 || !unusual.has(deviceNo) || (reception === null && readings.length === 0)) return [];
    return [{ deviceNo, atMs: seenAtMs, ...(reception ?? AS_IT_SHOULD_BE) }];
  });
}

const AS_IT_SHOULD_BE = { refusal: null, clockOffsetMs: 0 } as const;
