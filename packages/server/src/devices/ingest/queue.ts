import { countOf, type PackedReadings } from '@granary/core/telemetry/readings';
import {
  type Arrival,
  countedSize,
  type Entry,
  isRun,
  type Part,
  type PlainReceiver,
  PlainRun,
  sizeOf,
  type Waiting,
  wholeOf,
} from './batch.ts';

/**
 * The limit for one device applies also when no other device waits, because messages that arrive during a write wait for it.
 * Implausible readings take the longest to write: 5,000 of them would take 300 ms.
 */
const BATCH_READINGS_OF_DEVICE_MAX = 100;
/** While many entries wait, a run with fewer readings than this is not closed to begin another one, because each run has memory for many. */
const RUN_READINGS_MIN = 128;
const FEW_WAITING = 16;
/** Runs that are kept to be used again: as many as the batches under way and the one that grows. */
const SPARE_RUNS_MAX = 17;

/** The messages that are not on disk yet, in the order in which they arrived. */
export class IngestQueue {
  #entries: Entry[] = [];
  /** Readings that wait or are being written. */
  #readings = 0;
  /** For each device, how many of its messages wait outside of runs, and the place of the last one, which its further messages must follow. */
  readonly #othersOfDevice = new Map<number, { count: number; place: number }>();
  /** The last of the waiting runs, which takes further messages. */
  #growing: PlainRun | null = null;
  #lastPlace = 0;
  readonly #spareRuns: PlainRun[] = [];

  get readings(): number {
    return this.#readings;
  }

  /** True when nothing waits; batches may be under way. */
  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Resolves when the message is on disk. */
  add(arrival: Arrival, isHeld: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const whole = wholeOf({ arrival, isHeld, resolve, reject, unwritten: 0 });
      whole.waiting.unwritten = sizeOf(whole);
      this.#entries.push(whole);
      this.#readings += sizeOf(whole);
      this.#countOther(arrival.deviceNo);
    });
  }

  /** Adds a usual message to a run; returns false when it has to be added like others. Its readings are copied. */
  addPlain(readings: PackedReadings, seenAtMs: number, receiver: PlainReceiver, message: number): boolean {
    const place = this.#othersOfDevice.get(readings[0] ?? 0)?.place ?? 0;
    const growing = this.#growing;
    if (growing !== null && growing.place < place) {
      if (growing.size < RUN_READINGS_MIN && this.#entries.length > FEW_WAITING) return false;
      this.#growing = null;
    }
    if (this.#growing?.add(readings, seenAtMs, receiver, message) !== true) {
      const run = this.#spareRuns.pop() ?? new PlainRun();
      if (!run.add(readings, seenAtMs, receiver, message)) return false;
      run.place = ++this.#lastPlace;
      this.#entries.push(run);
      this.#growing = run;
    }
    this.#readings += countOf(readings);
    return true;
  }

  /** Takes messages in the order of arrival, but at most a limited number of readings per device. */
  takeBatch(readingsMax: number): Entry[] {
    const batch: Entry[] = [];
    const left: Part[] = [];
    const ofDevice = new Map<number, number>();
    let readings = 0;
    const take = (part: Part): void => {
      if (part.waiting.unwritten === 0) return;
      const { deviceNo } = part.waiting.arrival;
      const used = ofDevice.get(deviceNo) ?? 0;
      const room = Math.min(BATCH_READINGS_OF_DEVICE_MAX - used, readingsMax - readings);
      const { taken, rest } = divide(part, room, used === 0);
      if (rest !== null) left.push(rest);
      // Later messages of this device wait as well, so that its readings are written in order.
      const isWhole = rest === null && taken !== null;
      ofDevice.set(deviceNo, isWhole ? used + sizeOf(taken) : BATCH_READINGS_OF_DEVICE_MAX);
      if (taken === null) return;
      batch.push(taken);
      readings += sizeOf(taken);
    };
    let position = 0;
    for (const entry of this.#entries) {
      if (readings >= readingsMax) break;
      if (!isRun(entry)) take(entry);
      else if (left.length > 0 && entry.hasOneOf(ofDevice)) {
        // What is left of a message must not be overtaken by later ones of its device.
        for (const part of this.partsOf([entry])) take(part);
      } else {
        if (readings > 0 && readings + entry.size > readingsMax) break;
        if (entry === this.#growing) this.#growing = null;
        batch.push(entry);
        readings += entry.size;
      }
      position++;
    }
    this.#entries = [...left, ...this.#entries.slice(position)];
    return batch;
  }

  /** The messages of a batch are the next ones again. */
  putBack(batch: readonly Entry[]): void {
    this.#entries = [...batch, ...this.#entries];
  }

  /** Replaces runs by their messages; from now on these are kept like all others. */
  partsOf(entries: readonly Entry[]): Part[] {
    return entries.flatMap((entry) => {
      if (!isRun(entry)) return entry;
      const parts = entry.parts();
      for (const { waiting } of parts) this.#countOther(waiting.arrival.deviceNo);
      this.#keepSpare(entry);
      return parts;
    });
  }

  /** Returns how many messages are completely on disk now. */
  written(entry: Entry): number {
    if (isRun(entry)) {
      const { messageCount } = entry;
      this.#readings -= entry.size;
      entry.stored();
      this.#keepSpare(entry);
      return messageCount;
    }
    const { waiting } = entry;
    // Another part of the message has failed before.
    if (waiting.unwritten === 0) return 0;
    const size = countedSize(entry);
    waiting.unwritten -= size;
    this.#readings -= size;
    if (waiting.unwritten > 0) return 0;
    this.#otherSettled(waiting.arrival.deviceNo);
    waiting.resolve();
    return 1;
  }

  /** The remaining parts of the message are dropped when they are next in the queue. */
  fail(waiting: Waiting, error: unknown): void {
    if (waiting.unwritten === 0) return;
    this.#readings -= waiting.unwritten;
    waiting.unwritten = 0;
    this.#otherSettled(waiting.arrival.deviceNo);
    waiting.reject(error);
  }

  /** Fails the messages that do not wait while the storage is not available. */
  failUnheld(error: unknown): void {
    for (const entry of this.#entries)
      if (!isRun(entry) && !entry.waiting.isHeld) this.fail(entry.waiting, error);
    this.#entries = this.#entries.filter((entry) => isRun(entry) || entry.waiting.unwritten > 0);
  }

  failAll(error: unknown): void {
    for (const { waiting } of this.partsOf(this.#entries.splice(0))) this.fail(waiting, error);
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

  #keepSpare(run: PlainRun): void {
    if (run === this.#growing) this.#growing = null;
    run.clear();
    if (this.#spareRuns.length < SPARE_RUNS_MAX) this.#spareRuns.push(run);
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
