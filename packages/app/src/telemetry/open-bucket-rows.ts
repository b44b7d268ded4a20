import type { ProfileName } from '@granary/contract/profiles/profiles';
import { sensorsOf } from '@granary/core/sensors/declared-sensors';
import type { Slot } from '@granary/core/sensors/sensor';
import type { OpenBuckets } from '@granary/core/telemetry/open-bucket';
import type { Reading } from '@granary/core/telemetry/readings';
import { ByteList, ByteReader, unzigzag, zigzag } from '@granary/store/chunks/bytes';
import type { BulkRow, BulkUpsert, NumberRow, Sql } from '@granary/store/sql';
import type { OpenBucketRow } from '../row-memory.ts';
import type { Transaction } from '../transaction.ts';

/** The names of the slots in columns. */
export const SLOTS = ['a', 'b', 'c'] as const;
type SlotName = (typeof SLOTS)[number];

/** The columns of a row for each of its slots, given the fields of one value. */
export const slotColumns = (fields: readonly string[]): string[] =>
  SLOTS.flatMap((slot) => fields.map((field) => `${slot}_${field}`));

/** The index of the first column of a slot, after the `before` first columns of the row. */
export const slotOffset = (slot: Slot, before: number, fieldsPerSlot: number): number =>
  before + slot * fieldsPerSlot;

/** Sets a column of a slot if its time is newer than the stored one, or if nothing was stored. */
export const whenNewer = (table: string, slot: SlotName, field: string, time: string): string =>
  `${slot}_${field} = CASE WHEN ${table}.${slot}_${time} IS NULL OR excluded.${slot}_${time} > ${table}.${slot}_${time}
     THEN excluded.${slot}_${field} ELSE ${table}.${slot}_${field} END`;

const NUMBER_BYTES = 8;
/** The usual size of a body with differences. */
const USUAL_BYTES = 48;

const HIGH = 2 ** 32;

/** The upper half of the smallest number, which stands for a missing one. */
const MISSING = -(2 ** 31);

const KEY = ['device_no', 'sensor_group'];
/** The numbers of each slot in the order of `OpenBuckets`: first those of the good values, after them those of the bad ones. */
const GOOD_FIELDS = ['value', 'tsMs', 'sum', 'count', 'min', 'max'] as const;
const BAD_FIELDS = ['badValue', 'badTsMs', 'badCount'] as const;
const GOOD_NUMBERS = SLOTS.length * GOOD_FIELDS.length;
const NUMBERS = GOOD_NUMBERS + SLOTS.length * BAD_FIELDS.length;

/** The table has the latest values of a device and the open bucket that they belong to. */
const OPEN_BUCKETS: BulkUpsert = {
  table: 'open_buckets',
  key: KEY,
  columns: [...KEY, 'oldest_ms', 'newest_ms', 'body'],
  bytes: ['body'],
  update: ['oldest_ms', 'newest_ms', 'body'].map((column) => `${column} = excluded.${column}`).join(', '),
};
const ONLY_KEY = { ...OPEN_BUCKETS, columns: KEY };
const STORED = { ...OPEN_BUCKETS, columns: [...KEY, 'body'] };

type Series = Pick<Reading, 'deviceNo' | 'group'>;

/** A number that is larger than any sensor group of a device. */
const GROUPS_MAX = 2 ** 20;

/** The key of the row with a reading. */
export const openBucketKey = ({ deviceNo, group }: Series): number => deviceNo * GROUPS_MAX + group;

interface Measuring {
  readonly deviceNo: number;
  readonly profile: ProfileName;
  /** The declared sensors of the device. */
  readonly sensorDocument: string | null;
}

/**
 * Creates the rows for everything that these devices can measure. If batches created them with the first readings, they would
 * lock rows out of order: each new row after the rows that they have found.
 */
export async function makeOpenBuckets(sql: Sql, devices: readonly Measuring[]): Promise<void> {
  const rows = devices.flatMap(({ deviceNo, profile, sensorDocument }) => {
    const groups = new Set(sensorsOf(profile, sensorDocument).map(({ lane }) => lane.group));
    return [...groups].map((group): Key => [deviceNo, group]);
  });
  if (rows.length > 0) await sql.insertNew(ONLY_KEY, rows.toSorted(byKey));
}

type Key = readonly [deviceNo: number, group: number];

const byKey = ([a, groupA]: Key, [b, groupB]: Key): number => a - b || groupA - groupB;

/** Locks the rows of these series in the same order everywhere, and returns them by key. */
export async function lockOpenBuckets(
  tx: Transaction,
  series: readonly Series[],
): Promise<ReadonlyMap<number, OpenBucketRow>> {
  const rows = new Map<number, OpenBucketRow>();
  const unknown = new Map<number, Key>();
  for (const one of series) {
    const key = openBucketKey(one);
    if (rows.has(key)) continue;
    const kept = tx.memory?.openBuckets.get(key);
    if (kept === undefined) unknown.set(key, [one.deviceNo, one.group]);
    else rows.set(key, kept);
  }
  if (unknown.size === 0) return rows;
  const wanted = [...unknown.values()].sort(byKey);
  for (const [deviceNo, group, body] of await lockWanted(tx.sql, wanted)) {
    const row = { deviceNo, group, open: openBucketsIn(body) };
    const key = openBucketKey(row);
    rows.set(key, row);
    tx.memory?.keepOpenBuckets(key, row);
  }
  return rows;
}

type StoredRow = [deviceNo: number, group: number, body: Uint8Array | null];

/** Locks rows. Rows are missing only if a device reports a sensor that was not declared when the device was last written. */
async function lockWanted(sql: Sql, wanted: readonly NumberRow[]): Promise<StoredRow[]> {
  const rows = await sql.lockMany<StoredRow>(STORED, wanted);
  if (rows.length === wanted.length) return rows;
  await sql.insertNew(ONLY_KEY, wanted);
  return await sql.lockMany<StoredRow>(STORED, wanted);
}

/** Stores the rows in the order in which they were locked; the order no longer matters, because all are locked. */
export async function saveOpenBuckets(sql: Sql, rows: ReadonlyMap<number, OpenBucketRow>): Promise<void> {
  const bytes = new OpenBucketBytes(rows.size);
  const stored: BulkRow[] = [];
  for (const { deviceNo, group, open } of rows.values()) {
    const [oldestMs, newestMs] = timesOf(open);
    stored.push([deviceNo, group, oldestMs, newestMs, bytes.add(open)]);
  }
  await sql.upsertMany(OPEN_BUCKETS, stored);
}

function timesOf(open: OpenBuckets): [oldestMs: number | null, newestMs: number | null] {
  let oldestMs = Number.POSITIVE_INFINITY;
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const at of TIMES) {
    const tsMs = open[at] ?? Number.NaN;
    if (tsMs < oldestMs) oldestMs = tsMs;
    if (tsMs > newestMs) newestMs = tsMs;
  }
  return newestMs < oldestMs ? [null, null] : [oldestMs, newestMs];
}

function hasBad(open: OpenBuckets): boolean {
  for (let at = GOOD_NUMBERS; at < NUMBERS; at++) if (!Number.isNaN(open[at])) return true;
  return false;
}

const goodAt = (slot: Slot): number => slotOffset(slot, 0, GOOD_FIELDS.length);
const badAt = (slot: Slot): number => slotOffset(slot, GOOD_NUMBERS, BAD_FIELDS.length);

/** The places of the times in `OpenBuckets`. */
const TIMES = ([0, 1, 2] as const).flatMap((slot) => [goodAt(slot) + 1, badAt(slot) + 1]);

/** The numbers of one slot; `null` where there are none. */
export type OpenBucketFigures = Record<
  (typeof GOOD_FIELDS)[number] | (typeof BAD_FIELDS)[number],
  number | null
>;

/** The open buckets of a stored row, one for each slot. */
export function openBucketFigures(body: Uint8Array | null): OpenBucketFigures[] {
  const open = openBucketsIn(body);
  return SLOTS.map((_, slot) => {
    const figures: Partial<OpenBucketFigures> = {};
    for (const [index, field] of GOOD_FIELDS.entries())
      figures[field] = numberAt(open, goodAt(slot as Slot) + index);
    for (const [index, field] of BAD_FIELDS.entries())
      figures[field] = numberAt(open, badAt(slot as Slot) + index);
    return figures as OpenBucketFigures;
  });
}

function numberAt(open: OpenBuckets, at: number): number | null {
  const number = open[at];
  return number === undefined || Number.isNaN(number) ? null : number;
}

/**
 * The first byte of a body that has differences. A body of whole numbers begins with a value, and never with this byte, because a
 * value has at most 53 bits.
 */
const HAS_DIFFERENCES = 1;
/** Sums and differences of numbers up to this are exact, and so are twice as large ones. */
const EXACT_MAX = 2 ** 50;

/** The numbers in the order in which their differences are stored. Each is expected from the numbers before it. */
const DIFFERENCES = [
  ...SLOTS.flatMap((_, slot) => {
    const at = goodAt(slot as Slot);
    const before = slot === 0 ? -1 : goodAt((slot - 1) as Slot);
    const beforeAt = (field: number): number => (slot === 0 ? -1 : before + field);
    return [
      { at, from: -1, times: -1 },
      { at: at + 1, from: beforeAt(1), times: -1 },
      { at: at + 3, from: beforeAt(3), times: -1 },
      { at: at + 4, from: at, times: -1 },
      { at: at + 5, from: at, times: -1 },
      { at: at + 2, from: at, times: at + 3 },
    ];
  }),
  ...SLOTS.flatMap((_, slot) => {
    const at = badAt(slot as Slot);
    return [
      { at, from: -1, times: -1 },
      { at: at + 1, from: goodAt(slot as Slot) + 1, times: -1 },
      { at: at + 2, from: -1, times: -1 },
    ];
  }),
];

/** Returns the number that is expected, or 0 if nothing is known. */
function expected(open: OpenBuckets, from: number, times: number): number {
  if (from === -1) return 0;
  const reference = (open[from] ?? 0) * (times === -1 ? 1 : (open[times] ?? 0));
  return Number.isNaN(reference) ? 0 : reference;
}

/**
 * Writes the bodies of many rows one after another. A body has differences of a few bytes, because the number of changed pages is
 * what a commit costs; where they would not be exact, it has whole numbers of 64 bits. All share one buffer, because making a small
 * one takes longer than filling it.
 */
export class OpenBucketBytes {
  readonly #bytes: ByteList;

  constructor(rows: number) {
    this.#bytes = new ByteList(rows * USUAL_BYTES);
  }

  add(open: OpenBuckets): Uint8Array {
    const count = hasBad(open) ? NUMBERS : GOOD_NUMBERS;
    let start = this.#bytes.length;
    if (!this.#addDifferences(open, count)) {
      start = this.#bytes.length;
      for (let index = 0; index < count; index++) this.#addWhole(open[index] ?? Number.NaN);
    }
    return this.#bytes.view(start);
  }

  /** Returns false if a difference would not be exact. */
  #addDifferences(open: OpenBuckets, count: number): boolean {
    this.#bytes.push(HAS_DIFFERENCES);
    for (let index = 0; index < count; index++) {
      const { at, from, times } = DIFFERENCES[index] ?? NO_DIFFERENCE;
      const number = open[at] ?? Number.NaN;
      if (Number.isNaN(number)) this.#bytes.push(0);
      else {
        const known = expected(open, from, times);
        if (Math.abs(number) > EXACT_MAX || Math.abs(known) > EXACT_MAX) return false;
        this.#bytes.pushNumber(1 + zigzag(number - known));
      }
    }
    return true;
  }

  #addWhole(number: number): void {
    const isMissing = Number.isNaN(number);
    const high = isMissing ? MISSING : Math.floor(number / HIGH);
    if (!isMissing && !(high > MISSING && high < -MISSING))
      throw new RangeError(`${number} has more than 64 bits`);
    for (const half of [high, isMissing ? 0 : number - high * HIGH]) {
      for (let shift = 24; shift >= 0; shift -= 8) this.#bytes.push((half >>> shift) & 0xff);
    }
  }
}

const NO_DIFFERENCE = { at: 0, from: -1, times: -1 };

/** Numbers that are not stored are missing. */
export function openBucketsIn(bytes: Uint8Array | null): OpenBuckets {
  const open = new Float64Array(NUMBERS).fill(Number.NaN);
  if (bytes === null) return open;
  if (bytes[0] === HAS_DIFFERENCES) readDifferences(bytes, open);
  else readWhole(bytes, open);
  return open;
}

function readDifferences(bytes: Uint8Array, open: OpenBuckets): void {
  const reader = new ByteReader(bytes.subarray(1));
  for (const { at, from, times } of DIFFERENCES) {
    if (reader.isAtEnd) break;
    const stored = reader.nextNumber();
    if (stored > 0) open[at] = expected(open, from, times) + unzigzag(stored - 1);
  }
}

function readWhole(bytes: Uint8Array, open: OpenBuckets): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + NUMBER_BYTES <= bytes.byteLength; at += NUMBER_BYTES) {
    const high = view.getInt32(at);
    if (high !== MISSING) open[at / NUMBER_BYTES] = high * HIGH + view.getUint32(at + 4);
  }
}
