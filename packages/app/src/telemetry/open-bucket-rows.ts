import type { Slot } from '@granary/core/sensors/sensor';
import type { OpenBuckets } from '@granary/core/telemetry/open-bucket';
import type { Reading } from '@granary/core/telemetry/readings';
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

const HIGH = 2 ** 32;

/** The upper half of the smallest number, which stands for a missing one. */
const MISSING = -(2 ** 31);

const KEY = ['device_no', 'sensor_group'];
/** The numbers of each slot in the order of `OpenBuckets`: first those of the good values, after them those of the bad ones. */
const GOOD_FIELDS = ['value', 'tsMs', 'sum', 'count', 'min', 'max'] as const;
const BAD_FIELDS = ['badValue', 'badTsMs', 'badCount'] as const;
const GOOD_NUMBERS = SLOTS.length * GOOD_FIELDS.length;
const NUMBERS = GOOD_NUMBERS + SLOTS.length * BAD_FIELDS.length;

/** The table has a device's latest values and the open bucket they belong to. */
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

/** More than the groups that a device can have. */
const GROUPS_MAX = 2 ** 20;

/** The key of the row with a reading. */
export const openBucketKey = ({ deviceNo, group }: Series): number => deviceNo * GROUPS_MAX + group;

/**
 * The rows of these series, by key, locked in the same order everywhere. A device that reports for the first time, perhaps
 * on two nodes at once, gets its row first.
 */
export async function lockOpenBuckets(
  tx: Transaction,
  series: readonly Series[],
): Promise<ReadonlyMap<number, OpenBucketRow>> {
  const rows = new Map<number, OpenBucketRow>();
  const unknown = new Map<number, [deviceNo: number, group: number]>();
  for (const one of series) {
    const key = openBucketKey(one);
    const kept = rows.get(key) ?? tx.memory?.openBuckets.get(key);
    if (kept === undefined) unknown.set(key, [one.deviceNo, one.group]);
    else rows.set(key, kept);
  }
  if (unknown.size === 0) return rows;
  const wanted = [...unknown.values()].sort(([a, groupA], [b, groupB]) => a - b || groupA - groupB);
  for (const [deviceNo, group, body] of await lockWanted(tx.sql, wanted)) {
    const row = { deviceNo, group, open: openBucketsIn(body, NUMBERS) };
    const key = openBucketKey(row);
    rows.set(key, row);
    tx.memory?.keepOpenBuckets(key, row);
  }
  return rows;
}

type StoredRow = [deviceNo: number, group: number, body: Uint8Array | null];

async function lockWanted(sql: Sql, wanted: readonly NumberRow[]): Promise<StoredRow[]> {
  const rows = await sql.lockMany<StoredRow>(STORED, wanted);
  if (rows.length === wanted.length) return rows;
  await sql.insertNew(ONLY_KEY, wanted);
  return await sql.lockMany<StoredRow>(STORED, wanted);
}

/** In the order in which they were locked, though it does not matter any more. */
export async function saveOpenBuckets(sql: Sql, rows: ReadonlyMap<number, OpenBucketRow>): Promise<void> {
  const bytes = new OpenBucketBytes(rows.size, NUMBERS);
  const stored: BulkRow[] = [];
  for (const { deviceNo, group, open } of rows.values()) {
    const [oldestMs, newestMs] = timesOf(open);
    const body = bytes.add(open, hasBad(open) ? NUMBERS : GOOD_NUMBERS);
    stored.push([deviceNo, group, oldestMs, newestMs, body]);
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
  const open = openBucketsIn(body, NUMBERS);
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
 * Writes the bodies of many rows one after another: whole numbers of 64 bits, because SQLite stores one column in a third of
 * the time that 18 take. They share one buffer, because making a small one takes longer than filling it.
 */
export class OpenBucketBytes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #end = 0;

  constructor(rowsMax: number, numbersMax: number) {
    this.#bytes = new Uint8Array(rowsMax * numbersMax * NUMBER_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The body with the first numbers of open buckets. */
  add(open: OpenBuckets, count: number): Uint8Array {
    const start = this.#end;
    for (let index = 0; index < count; index++)
      this.#put(start + index * NUMBER_BYTES, open[index] ?? Number.NaN);
    this.#end = start + count * NUMBER_BYTES;
    return this.#bytes.subarray(start, this.#end);
  }

  #put(at: number, number: number): void {
    if (Number.isNaN(number)) {
      this.#view.setInt32(at, MISSING);
      return;
    }
    const high = Math.floor(number / HIGH);
    if (!(high > MISSING && high < -MISSING)) throw new RangeError(`${number} has more than 64 bits`);
    this.#view.setInt32(at, high);
    this.#view.setUint32(at + 4, number - high * HIGH);
  }
}

/** Numbers that are not stored are missing. */
export function openBucketsIn(bytes: Uint8Array | null, count: number): OpenBuckets {
  const open = new Float64Array(count).fill(Number.NaN);
  if (bytes === null) return open;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + NUMBER_BYTES <= bytes.byteLength; at += NUMBER_BYTES) {
    const high = view.getInt32(at);
    if (high !== MISSING) open[at / NUMBER_BYTES] = high * HIGH + view.getUint32(at + 4);
  }
  return open;
}
