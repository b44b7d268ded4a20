import type { NewRejection } from '@granary/app/presence-rows';
import type { TelemetryBatch } from '@granary/app/telemetry/telemetry';
import type { MessageReception } from '@granary/core/reception/reception';
import {
  countOf,
  FIELDS,
  type PackedReadings,
  packReading,
  type Reading,
  unpackReadings,
} from '@granary/core/telemetry/readings';

/** A batch in the form in which it can be passed to another thread. */
export interface PackedBatch extends TelemetryBatch {
  readonly readings: PackedReadings;
}

export interface Arrival {
  readonly deviceNo: number;
  readonly seenAtMs: number;
  readonly readings: readonly Reading[];
  readonly rejections: readonly NewRejection[];
  /** `null` for a message that was taken completely and whose time is right, and for a message without readings. */
  readonly reception: Pick<MessageReception, 'refusal' | 'clockOffsetMs'> | null;
}

/** A message that is not on disk yet. */
export interface Waiting {
  readonly arrival: Arrival;
  /** True when the message waits while the storage is not available, instead of failing. */
  readonly isHeld: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** The readings that are not on disk yet; 0 after a failure. */
  unwritten: number;
}

/** A range of the readings of one message. */
export interface Part {
  readonly waiting: Waiting;
  readonly from: number;
  readonly to: number;
}

/** Learns what became of its messages, each of which has a number. */
export interface PlainReceiver {
  stored(message: number): void;
  /** Called when the message can never be stored, or cannot be stored now. */
  failed(message: number, error: unknown, arrival: Arrival): void;
}

/** A run has room for as many readings as the smallest batch of a writer. */
const RUN_READINGS_MAX = 500;

/**
 * Usual messages that arrived one after another: held messages that were taken completely and whose time is right. They are kept as
 * numbers, because every garbage collection copies what waits.
 */
export class PlainRun {
  /** The number of readings. */
  size = 0;
  messageCount = 0;
  /** The place of the run in the order of arrival: every entry with a lower place is before it in the queue. */
  place = 0;
  readonly #readings = new Float64Array(RUN_READINGS_MAX * FIELDS);
  readonly #receivers: PlainReceiver[] = [];
  readonly #messages = new Float64Array(RUN_READINGS_MAX);
  readonly #seenAtMs = new Float64Array(RUN_READINGS_MAX);
  /** Where the readings of each message end. */
  readonly #ends = new Uint16Array(RUN_READINGS_MAX);

  /** Returns false when there is no room. */
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

  /** The messages of the run in the form in which all other messages are kept. */
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

/** What waits in the queue and is written with others. */
export type Entry = Part | PlainRun;

export const isRun = (entry: Entry): entry is PlainRun => entry instanceof PlainRun;
export const countedSize = (entry: Entry): number => (isRun(entry) ? entry.size : sizeOf(entry));

/** A message without readings also takes a place in the batch. */
export const sizeOf = ({ from, to }: Omit<Part, 'waiting'>): number => Math.max(1, to - from);
export const wholeOf = (waiting: Waiting): Part => ({
  waiting,
  from: 0,
  to: waiting.arrival.readings.length,
});

/** The rows that a batch writes. */
export function batchOf(batch: readonly Entry[]): PackedBatch {
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

/** Usually empty. A device with an unusual message has all its messages here, because what happened in a row is counted. */
function receptionsOf(batch: readonly Entry[]): MessageReception[] {
  const unusual = new Set<number>();
  for (const one of batch) {
    if (isRun(one) || one.from !== 0) continue;
    const { deviceNo, reception } = one.waiting.arrival;
    if (reception !== null) unusual.add(deviceNo);
  }
  if (unusual.size === 0) return [];
  const parts = batch.flatMap((entry) => (isRun(entry) ? entry.parts() : entry));
  return parts.flatMap(({ waiting, from }) => {
    const { deviceNo, seenAtMs, readings, reception } = waiting.arrival;
    if (from !== 0 || !unusual.has(deviceNo) || (reception === null && readings.length === 0)) return [];
    return [{ deviceNo, atMs: seenAtMs, ...(reception ?? AS_IT_SHOULD_BE) }];
  });
}

const AS_IT_SHOULD_BE = { refusal: null, clockOffsetMs: 0 } as const;
