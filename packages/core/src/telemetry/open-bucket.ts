import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import { SLOTS_PER_GROUP, type Slot } from '../sensors/sensor.ts';
import type { Reading } from './readings.ts';
import { NO_GOOD_VALUE, type Rollup, rollUpMinutes } from './rollup.ts';

/**
 * The open buckets of the up to three sensors of a group: for each sensor the five minutes of its latest value, good or bad.
 * They are numbers in one array, because nearly every reading changes some of them; a missing number is `NaN`.
 */
export type OpenBuckets = Float64Array;

/** The number of fields for the good values of each slot: latest value, its time, sum, count, minimum, maximum. */
const GOOD_FIELDS = 6;
/** The number of fields for the bad values of each slot, which follow the good ones: latest value, its time, count. */
const BAD_FIELDS = 3;
const GOOD_NUMBERS = SLOTS_PER_GROUP * GOOD_FIELDS;
export const OPEN_BUCKET_NUMBERS = GOOD_NUMBERS + SLOTS_PER_GROUP * BAD_FIELDS;

const BUCKET_MS = INTERVAL_MS['5m'];

/** Collects the buckets and values that do not belong to open buckets any more. */
export class ClosedBuckets {
  readonly #closed: Rollup[] = [];
  readonly #late: Reading[] = [];

  close(rollup: Rollup): void {
    this.#closed.push(rollup);
  }

  /** Adds a value whose time is before the open bucket of its sensor. */
  addLate({ deviceNo, tsMs, group, badMask }: Reading, slot: Slot, value: number): void {
    const values = {
      a: slot === 0 ? value : null,
      b: slot === 1 ? value : null,
      c: slot === 2 ? value : null,
    };
    this.#late.push({ deviceNo, tsMs, group, ...values, badMask: badMask & (1 << slot) });
  }

  /** Returns each bucket once; the buckets of a sensor follow each other, ordered by time. */
  rollups(): Rollup[] {
    if (this.#closed.length === 0 && this.#late.length === 0) return [];
    return [...this.#closed, ...rollUpMinutes(this.#late)].sort(bySensorAndTime);
  }
}

const bySensorAndTime = (a: Rollup, b: Rollup): number =>
  a.deviceNo - b.deviceNo || a.group - b.group || a.slot - b.slot || a.startMs - b.startMs;

/** Adds a reading of the group. The readings of one batch must be ordered by time, so that no closed bucket gets another one. */
export function addToOpenBuckets(open: OpenBuckets, reading: Reading, closed: ClosedBuckets): void {
  if (reading.a !== null) addValue(open, reading, 0, reading.a, closed);
  if (reading.b !== null) addValue(open, reading, 1, reading.b, closed);
  if (reading.c !== null) addValue(open, reading, 2, reading.c, closed);
}

function addValue(
  open: OpenBuckets,
  reading: Reading,
  slot: Slot,
  value: number,
  closed: ClosedBuckets,
): void {
  const { tsMs, badMask } = reading;
  const newestMs = newestTsMs(open, slot);
  if (!Number.isNaN(newestMs)) {
    const startMs = startOf(newestMs);
    if (tsMs < startMs) {
      closed.addLate(reading, slot, value);
      return;
    }
    if (tsMs >= startMs + BUCKET_MS) {
      closed.close(rollupOf(open, reading, slot, startMs));
      clear(open, slot);
    }
  }
  if ((badMask & (1 << slot)) === 0) addGood(open, slot * GOOD_FIELDS, tsMs, value);
  else addBad(open, GOOD_NUMBERS + slot * BAD_FIELDS, tsMs, value);
}

function addGood(open: OpenBuckets, at: number, tsMs: number, value: number): void {
  const count = numberAt(open, at + 3);
  if (Number.isNaN(count)) {
    open[at] = value;
    open[at + 1] = tsMs;
    open[at + 2] = value;
    open[at + 3] = 1;
    open[at + 4] = value;
    open[at + 5] = value;
    return;
  }
  if (tsMs > numberAt(open, at + 1)) {
    open[at] = value;
    open[at + 1] = tsMs;
  }
  open[at + 2] = numberAt(open, at + 2) + value;
  open[at + 3] = count + 1;
  if (value < numberAt(open, at + 4)) open[at + 4] = value;
  if (value > numberAt(open, at + 5)) open[at + 5] = value;
}

function addBad(open: OpenBuckets, at: number, tsMs: number, value: number): void {
  const count = numberAt(open, at + 2);
  open[at + 2] = Number.isNaN(count) ? 1 : count + 1;
  if (tsMs <= numberAt(open, at + 1)) return;
  open[at] = value;
  open[at + 1] = tsMs;
}

const numberAt = (open: OpenBuckets, at: number): number => open[at] ?? Number.NaN;

const startOf = (tsMs: number): number => Math.floor(tsMs / BUCKET_MS) * BUCKET_MS;

function newestTsMs(open: OpenBuckets, slot: Slot): number {
  const goodMs = numberAt(open, slot * GOOD_FIELDS + 1);
  const badMs = numberAt(open, GOOD_NUMBERS + slot * BAD_FIELDS + 1);
  return goodMs >= badMs || Number.isNaN(badMs) ? goodMs : badMs;
}

function clear(open: OpenBuckets, slot: Slot): void {
  open.fill(Number.NaN, slot * GOOD_FIELDS, (slot + 1) * GOOD_FIELDS);
  const badAt = GOOD_NUMBERS + slot * BAD_FIELDS;
  open.fill(Number.NaN, badAt, badAt + BAD_FIELDS);
}

function rollupOf(open: OpenBuckets, { deviceNo, group }: Reading, slot: Slot, startMs: number): Rollup {
  const [last, lastTsMs, sum, count, min, max] = open.subarray(slot * GOOD_FIELDS);
  const [badLast, badTsMs, badCount] = open.subarray(GOOD_NUMBERS + slot * BAD_FIELDS);
  const good = Number.isNaN(count) ? NO_GOOD_VALUE : { last, lastTsMs, sum, count, min, max };
  const bad = Number.isNaN(badCount) ? null : { last: badLast, lastTsMs: badTsMs, count: badCount };
  return { deviceNo, group, slot, interval: '5m', startMs, ...good, bad } as Rollup;
}
