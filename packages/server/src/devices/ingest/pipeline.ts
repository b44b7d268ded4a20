import type { NewRejection } from '@granary/app/presence-rows';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import { outsideRequest } from '@granary/common/request-time';
import { Refusal } from '@granary/contract/errors';
import { SECOND_MS } from '@granary/contract/time';
import type { MessageReception } from '@granary/core/reception/reception';
import {
  countOf,
  FIELDS,
  type PackedReadings,
  packReading,
  unpackReadings,
} from '@granary/core/telemetry/packed-readings';
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

/** As it can be passed to another thread. */
export interface PackedBatch extends TelemetryBatch {
  readonly readings: PackedReadings;
}

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

/** Learns what became of its messages, each of which has a number. */
export interface PlainReceiver {
  stored(message: number): void;
  /** The message can never be stored, or not now. */
  failed(message: number, error: unknown, arrival: Arrival): void;
}

/** As many as the smallest batch of a writer. */
const RUN_READINGS_MAX = 500;
/** A run with fewer is not left for another one while much waits, because each has room for many. */
const RUN_READINGS_MIN = 128;
const FEW_WAITING = 16;

/**
 * Usual messages that arrived one after another: held, taken completely, with a right time. They are kept in numbers, because what
 * waits is copied by every garbage collection.
 */
class PlainRun {
  /** Of readings. */
  size = 0;
  messageCount = 0;
  /** Its place in the order of arrival: everything with a lower one is before it in the queue. */
  place = 0;
  readonly #readings = new Float64Array(RUN_READINGS_MAX * FIELDS);
  readonly #receivers: PlainReceiver[] = [];
  readonly #messages = new Float64Array(RUN_READINGS_MAX);
  readonly #seenAtMs = new Float64Array(RUN_READINGS_MAX);
  /** Of each message, where its readings end. */
  readonly #ends = new Uint16Array(RUN_READINGS_MAX);

  /** False when there is no room. */
  add(readings: PackedReadings, seenAtMs: number, receiver: PlainReceiver, message: number): boolean {
    const end = this.size + countOf(readings);
    if (end > RUN_READINGS_MAX) return false;
    this.#readings.set(readings, this.size * FIELDS);
    this.#receivers.push(receiver);
    this.#messages[this.messageCount] = message;
    this.#seenAtMs[this.messageCount] = seenAtMs;
    this.#ends[this.messageCount] = end;
    this.size = end;
    this.messageCount++;
    return true;
  }

  copyTo(readings: PackedReadings, at: number): void {
    readings.set(this.#readings.subarray(0, this.size * FIELDS), at);
  }

  noteSeen(seenAtMs: Map<number, number>): void {
    let start = 0;
    for (let index = 0; index < this.messageCount; index++) {
      seenAtMs.set(this.#readings[start * FIELDS] ?? 0, this.#seenAtMs[index] ?? 0);
      start = this.#ends[index] ?? 0;
    }
  }

  hasOneOf(deviceNos: ReadonlyMap<number, unknown>): boolean {
    for (let at = 0; at < this.size * FIELDS; at += FIELDS)
      if (deviceNos.has(this.#readings[at] ?? 0)) return true;
    return false;
  }

  stored(): void {
    for (let index = 0; index < this.messageCount; index++)
      this.#receivers[index]?.stored(this.#messages[index] ?? 0);
  }

  clear(): void {
    this.size = 0;
    this.messageCount = 0;
    this.#receivers.length = 0;
  }

  /** The messages as others are kept. */
  parts(): Part[] {
    let start = 0;
    return this.#receivers.map((receiver, index) => {
      const end = this.#ends[index] ?? 0;
      const readings = unpackReadings(this.#readings.slice(start * FIELDS, end * FIELDS));
      start = end;
      const { deviceNo } = readings[0] as Reading;
      const seenAtMs = this.#seenAtMs[index] ?? 0;
      const arrival = { deviceNo, seenAtMs, readings, rejections: [], reception: null };
      const message = this.#messages[index] ?? 0;
      return wholeOf({
        arrival,
        isHeld: true,
        resolve: () => receiver.stored(message),
        reject: (error) => receiver.failed(message, error, arrival),
        unwritten: readings.length,
      });
    });
  }
}

type Entry = Part | PlainRun;

/** Runs that are kept to be used again: as many as the batches under way and the one that grows. */
const SPARE_RUNS_MAX = 17;

const isRun = (entry: Entry): entry is PlainRun => entry instanceof PlainRun;
const partsOf = (entries: readonly Entry[]): Part[] =>
  entries.flatMap((entry) => (isRun(entry) ? entry.parts() : entry));
const countedSize = (entry: Entry): number => (isRun(entry) ? entry.size : sizeOf(entry));

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
  #waiting: Entry[] = [];
  /** The messages that wait outside of runs: how many, and the place of the last one, which further ones must follow. */
  readonly #othersOfDevice = new Map<number, { count: number; place: number }>();
  /** The last of the waiting runs, which takes further messages. */
  #growing: PlainRun | null = null;
  #lastPlace = 0;
  readonly #spareRuns: PlainRun[] = [];
  #queuedReadings = 0;
  /** Those of the batches that are being written. */
  #underWayReadings = 0;
  #isTurnPlanned = false;
  #gathering: NodeJS.Timeout | null = null;
  #lastBatchAtMs = Number.NEGATIVE_INFINITY;
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

  /** The same for a usual message; false when it has to be submitted like others. Its readings are copied. */
  submitPlain(readings: PackedReadings, seenAtMs: number, receiver: PlainReceiver, message: number): boolean {
    const { heldReadingsMax = HELD_READINGS_MAX } = this.#parts;
    const deviceNo = readings[0] ?? 0;
    if (this.#queuedReadings >= heldReadingsMax) return false;
    const place = this.#othersOfDevice.get(deviceNo)?.place ?? 0;
    const growing = this.#growing;
    if (growing !== null && growing.place < place) {
      if (growing.size < RUN_READINGS_MIN && this.#waiting.length > FEW_WAITING) return false;
      this.#growing = null;
    }
    if (this.#growing?.add(readings, seenAtMs, receiver, message) !== true) {
      const run = this.#spareRuns.pop() ?? new PlainRun();
      if (!run.add(readings, seenAtMs, receiver, message)) return false;
      run.place = ++this.#lastPlace;
      this.#waiting.push(run);
      this.#growing = run;
    }
    this.#queuedReadings += countOf(readings);
    this.#planTurn();
    return true;
  }

  /** Resolves when everything submitted so far is written or refused; from now on nothing is held. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#planTurn();
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
      this.#countOther(arrival.deviceNo);
      this.#planTurn();
    });
  }

  #countOther(deviceNo: number): void {
    const place = ++this.#lastPlace;
    const others = this.#othersOfDevice.get(deviceNo);
    if (others === undefined) this.#othersOfDevice.set(deviceNo, { count: 1, place });
    else {
      others.count++;
      others.place = place;
    }
  }

  #otherSettled(deviceNo: number): void {
    const others = this.#othersOfDevice.get(deviceNo);
    if (others !== undefined && --others.count === 0) this.#othersOfDevice.delete(deviceNo);
  }

  /** While little waits, more of it is gathered for the next batch; during an outage one batch at a time is tried. */
  get #batchesMax(): number {
    if (this.#outage !== null) return 1;
    const { readings, underWay } = this.#parts.batches;
    return this.#queuedReadings - this.#underWayReadings >= readings ? underWay : INCOMPLETE_BATCHES_MAX;
  }

  #planTurn(): void {
    if (this.#isTurnPlanned || this.#outage?.timer != null || this.#writing.size >= this.#batchesMax) return;
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
    const isFew = this.#queuedReadings - this.#underWayReadings < FEW_READINGS;
    if (gatherMs === 0 || !isFew || this.#isDraining) return 0;
    return this.#lastBatchAtMs + gatherMs - performance.now();
  }

  #gathered(): void {
    this.#gathering = null;
    this.#takeTurn();
  }

  #takeTurn(): void {
    this.#isTurnPlanned = false;
    if (this.#waiting.length === 0 || this.#outage?.timer != null) return;
    this.#lastBatchAtMs = performance.now();
    const batch = this.#takeBatch();
    const size = batch.reduce((sum, entry) => sum + countedSize(entry), 0);
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
  #takeBatch(): Entry[] {
    const { readings: readingsMax } = this.#parts.batches;
    const ofDevice = new Map<number, number>();
    const batch: Entry[] = [];
    const left: Part[] = [];
    let readings = 0;
    let position = 0;
    for (; position < this.#waiting.length && readings < readingsMax; position++) {
      const part = this.#waiting[position];
      if (part === undefined) continue;
      if (isRun(part)) {
        // What is left of a message must not be overtaken by later ones of its device.
        if (left.length > 0 && part.hasOneOf(ofDevice)) {
          this.#waiting.splice(position--, 1, ...this.#partsOf([part]));
          continue;
        }
        if (readings > 0 && readings + part.size > readingsMax) break;
        if (part === this.#growing) this.#growing = null;
        batch.push(part);
        readings += part.size;
        continue;
      }
      if (part.waiting.unwritten === 0) continue;
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
    this.#waiting = [...left, ...this.#waiting.slice(position)];
    return batch;
  }

  /** Never rejects. */
  async #write(batch: readonly Entry[]): Promise<void> {
    const rows = batchOf(batch);
    const count = countOf(rows.readings);
    const startedMs = performance.now();
    try {
      await this.#parts.append(rows);
    } catch (error) {
      if (isStorageFault(error)) return this.#hold(batch, error);
      const parts = this.#partsOf(batch);
      if (parts.length > 1) {
        const middle = parts.length >> 1;
        await this.#write(parts.slice(0, middle));
        return await this.#write(parts.slice(middle));
      }
      this.#parts.counters.unstorableArrivals++;
      for (const { waiting } of parts) this.#fail(waiting, error);
      return;
    }
    const { counters } = this.#parts;
    counters.batchSeconds.observe((performance.now() - startedMs) / SECOND_MS);
    // The buffer itself may be in another thread now.
    counters.batchReadings.observe(count);
    counters.storedReadings += count;
    this.#endOutage();
    for (const entry of batch) {
      if (isRun(entry)) this.#runWritten(entry);
      else this.#written(entry);
    }
  }

  #runWritten(run: PlainRun): void {
    this.#queuedReadings -= run.size;
    this.#parts.counters.storedMessages += run.messageCount;
    run.stored();
    this.#keepSpare(run);
  }

  #keepSpare(run: PlainRun): void {
    if (run === this.#growing) this.#growing = null;
    run.clear();
    if (this.#spareRuns.length < SPARE_RUNS_MAX) this.#spareRuns.push(run);
  }

  /** The messages of runs are kept like others from now on. */
  #partsOf(entries: readonly Entry[]): Part[] {
    const parts = partsOf(entries);
    for (const entry of entries) {
      if (!isRun(entry)) continue;
      for (const { waiting } of entry.parts()) this.#countOther(waiting.arrival.deviceNo);
      this.#keepSpare(entry);
    }
    return parts;
  }

  #written({ waiting, ...part }: Part): void {
    // Another part of the message has failed before.
    if (waiting.unwritten === 0) return;
    const size = sizeOf(part);
    waiting.unwritten -= size;
    this.#queuedReadings -= size;
    if (waiting.unwritten > 0) return;
    this.#parts.counters.storedMessages++;
    this.#otherSettled(waiting.arrival.deviceNo);
    waiting.resolve();
  }

  /** The remaining parts of the message are dropped when they are next in the queue. */
  #fail(waiting: Waiting, error: unknown): void {
    if (waiting.unwritten === 0) return;
    this.#queuedReadings -= waiting.unwritten;
    waiting.unwritten = 0;
    this.#otherSettled(waiting.arrival.deviceNo);
    waiting.reject(error);
  }

  /** Puts back the messages that can wait, and fails the others. */
  #hold(batch: readonly Entry[], fault: Refusal): void {
    const { counters, logger } = this.#parts;
    counters.storageFaults++;
    this.#waiting = [...batch, ...this.#waiting];
    if (this.#isDraining) return void this.#failHeld(fault);
    for (const one of this.#waiting) if (!isRun(one) && !one.waiting.isHeld) this.#fail(one.waiting, fault);
    this.#waiting = this.#waiting.filter((one) => isRun(one) || one.waiting.unwritten > 0);
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
    for (const { waiting } of this.#partsOf(this.#waiting.splice(0))) this.#fail(waiting, fault);
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

function batchOf(batch: readonly Entry[]): PackedBatch {
  const count = batch.reduce((sum, one) => sum + (isRun(one) ? one.size : one.to - one.from), 0);
  const readings = new Float64Array(count * FIELDS);
  const rejections: NewRejection[] = [];
  const seenAtMs = new Map<number, number>();
  let at = 0;
  for (const entry of batch) {
    if (isRun(entry)) {
      entry.copyTo(readings, at);
      entry.noteSeen(seenAtMs);
      at += entry.size * FIELDS;
      continue;
    }
    const { arrival } = entry.waiting;
    for (const reading of arrival.readings.slice(entry.from, entry.to)) {
      packReading(reading, readings, at);
      at += FIELDS;
    }
    if (entry.from === 0) for (const rejection of arrival.rejections) rejections.push(rejection);
    seenAtMs.set(arrival.deviceNo, arrival.seenAtMs);
  }
  const seen = Array.from(seenAtMs, ([deviceNo, atMs]) => ({ deviceNo, atMs }));
  return { readings, rejections, seen, receptions: receptionsOf(batch) };
}

/** Usually empty; of a device with an unusual message all messages, because it counts what happened in a row. */
function receptionsOf(batch: readonly Entry[]): MessageReception[] {
  const unusual = new Set<number>();
  for (const one of batch) {
    if (isRun(one) || one.from !== 0) continue;
    const { deviceNo, reception } = one.waiting.arrival;
    if (reception !== null) unusual.add(deviceNo);
  }
  if (unusual.size === 0) return [];
  return partsOf(batch).flatMap(({ waiting, from }) => {
    const { deviceNo, seenAtMs, readings, reception } = waiting.arrival;
    if (from !== 0 || !unusual.has(deviceNo) || (reception === null && readings.length === 0)) return [];
    return [{ deviceNo, atMs: seenAtMs, ...(reception ?? AS_IT_SHOULD_BE) }];
  });
}

const AS_IT_SHOULD_BE = { refusal: null, clockOffsetMs: 0 } as const;
