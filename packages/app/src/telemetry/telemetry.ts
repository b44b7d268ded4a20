import { DAY_MS } from '@granary/contract/time';
import {
  advanceReception,
  changesAlerts,
  isClockRight,
  type MessageReception,
  RECEPTION_DOCUMENT,
  type Reception,
} from '@granary/core/reception/reception';
import { sensorsInUse } from '@granary/core/sensors/declared-sensors';
import { type LatestValues, latestValues, type Sensor } from '@granary/core/sensors/sensor';
import { POSITION_GROUP, standardSensorsOf } from '@granary/core/sensors/standard-sensors';
import { addToOpenBuckets, ClosedBuckets } from '@granary/core/telemetry/open-bucket';
import {
  distinctReadings,
  goodValueIn,
  missingPart,
  newestValues,
  type PackedReadings,
  type Reading,
  unpackReadings,
} from '@granary/core/telemetry/readings';
import { type Rollup, withCoarser } from '@granary/core/telemetry/rollup';
import type { Sql } from '@granary/store/sql';
import { markForEvaluation } from '../alerts/mark-for-evaluation.ts';
import { alertEvaluation, type Committed, committed, type ValuesStored } from '../effects.ts';
import { receptionsOf, saveReceptions } from '../health-rows.ts';
import { type LastSeenUpdate, type NewRejection, recordRejections, recordSeen } from '../presence-rows.ts';
import type { OpenBucketRow } from '../row-memory.ts';
import type { KeptDays } from '../slice.ts';
import { longWrite, type Transaction, together } from '../transaction.ts';
import { addToBuckets, dropBuckets, type HistoryRange, readBuckets } from './bucket-rows.ts';
import { chunkedValues, dropChunks, lockChunks } from './chunk-rows.ts';
import { compressBuckets } from './compress-buckets.ts';
import { type CompressedPart, compressReadings, ROWS_PER_CHUNK_MAX } from './compress-readings.ts';
import { type CurrentRows, currentRows, latestOfDevice } from './latest-values.ts';
import { lockOpenBuckets, openBucketKey, saveOpenBuckets } from './open-bucket-rows.ts';
import {
  addMissingValues,
  dropReadings,
  insertReadings,
  lockReadings,
  markLateReadings,
} from './reading-rows.ts';
import { addToTracks, dropTracks, type NewPlace, readTrack, type TrackRange } from './track-rows.ts';

/** The sum of this many of the largest values is still an exact whole number in floating point. */
export const READINGS_PER_APPEND_MAX = 50_000;

export interface TelemetryBatch {
  /** The readings are packed if another thread writes them. */
  readonly readings: readonly Reading[] | PackedReadings;
  readonly seen: readonly LastSeenUpdate[];
  readonly rejections: readonly NewRejection[];
  /** All messages of those devices of which at least one message was not as it should be, in the order of arrival. */
  readonly receptions?: readonly MessageReception[];
}

export interface AppendReceipt {
  /** Readings with at least one new value. */
  readonly stored: number;
  /** Readings that were stored before. */
  readonly repeated: number;
}

export interface Expiry {
  readonly rawBeforeMs: number;
  readonly fiveMinutesBeforeMs: number;
  /** The limit of the rows that one call may remove, so that it never delays other writes for long. */
  readonly rowsMax: number;
}

/** A device and its latest values. */
export interface CurrentValues extends Omit<CurrentRows, 'latest' | 'sensorDocument'> {
  readonly declared: readonly Sensor[];
  readonly latest: LatestValues;
}

export const reads = {
  async latest(sql: Sql, deviceNo: number, sensors: readonly Sensor[]): Promise<LatestValues> {
    return latestValues(sensors, await latestOfDevice(sql, deviceNo));
  },

  /** Reads a device and its latest values in one statement, so that both are consistent. */
  async current(sql: Sql, deviceId: string): Promise<CurrentValues | undefined> {
    const found = await currentRows(sql, deviceId);
    if (found === undefined) return undefined;
    const { sensorDocument, latest, ...device } = found;
    const declared = sensorsInUse(sensorDocument);
    const sensors = [...standardSensorsOf(device.profile), ...declared];
    return { ...device, declared, latest: latestValues(sensors, latest) };
  },

  history: (sql: Sql, range: HistoryRange) => readBuckets(sql, range),

  track: (sql: Sql, range: TrackRange) => readTrack(sql, range),
};

export const preparations = {
  append: async (tx: Transaction, batch: TelemetryBatch) => await tx.sql.partitions?.prepare(timesOf(batch)),
};

export const expiry = (kept: KeptDays, nowMs: number): Omit<Expiry, 'rowsMax'> => ({
  rawBeforeMs: nowMs - kept.rawRetentionDays * DAY_MS,
  fiveMinutesBeforeMs: nowMs - kept.fiveMinuteRetentionDays * DAY_MS,
});

export const writes = {
  /** Stores every reading exactly once, however often and in whatever order it arrives. */
  async append(tx: Transaction, batch: TelemetryBatch): Promise<Committed<AppendReceipt>> {
    const readings = readingsOf(batch);
    if (readings.length > READINGS_PER_APPEND_MAX) {
      throw new RangeError(`a batch holds ${readings.length} readings; ${READINGS_PER_APPEND_MAX} fit`);
    }
    const distinct = distinctReadings(readings);
    const [news, open] = await together([storeReadings(tx.sql, distinct), lockOpenBuckets(tx, distinct)]);
    const closed = await updateOpenBuckets(tx.sql, open, news);
    if (closed.length > 0) await addToBuckets(tx.sql, withCoarser(closed));
    const places = news.flatMap(placeIn);
    if (places.length > 0) await addToTracks(tx.sql, places);
    await recordSeen(tx.sql, batch.seen);
    await recordRejections(tx.sql, batch.rejections);
    const { seen, receptions = [] } = batch;
    await markLateReadings(tx.sql, news, seen);
    const received = recordReceptions(tx, { readings, seen, receptions });
    const toEvaluate = await markForEvaluation(tx, newestValues(news), seen, received);
    const receipt = { stored: news.length, repeated: readings.length - news.length };
    const stored: ValuesStored = { kind: 'values_stored', deviceNos: devicesOf(distinct) };
    return committed(receipt, stored, ...alertEvaluation(toEvaluate));
  },

  /** Removes a limited part of the expired data and returns how much; 0 when nothing is left. */
  expire: longWrite(async (tx, { rawBeforeMs, fiveMinutesBeforeMs, rowsMax }: Expiry) => {
    await lockChunks(tx.sql);
    const chunks = await dropChunks(tx.sql, rawBeforeMs, Math.ceil(rowsMax / ROWS_PER_CHUNK_MAX));
    const readings = await dropReadings(tx.sql, rawBeforeMs, rowsMax);
    const positions = await dropTracks(tx.sql, rawBeforeMs, rowsMax);
    const buckets = await dropBuckets(tx.sql, '5m', fiveMinutesBeforeMs, rowsMax);
    return committed(chunks + readings + positions + buckets);
  }),

  /** Moves a limited number of raw readings before a time into a compressed chunk. */
  async compress(
    tx: Transaction,
    { beforeMs }: { readonly beforeMs: number },
  ): Promise<Committed<CompressedPart>> {
    return committed(await compressReadings(tx.sql, beforeMs));
  },

  /** Moves a limited number of closed buckets before a time into compressed chunks. */
  async compressHistory(
    tx: Transaction,
    { beforeMs }: { readonly beforeMs: number },
  ): Promise<Committed<CompressedPart>> {
    return committed(await compressBuckets(tx.sql, beforeMs));
  },
};

const devicesOf = (readings: readonly Reading[]): number[] => [
  ...new Set(readings.map(({ deviceNo }) => deviceNo)),
];

const readingsOf = ({ readings }: TelemetryBatch): readonly Reading[] =>
  readings instanceof Float64Array ? unpackReadings(readings) : readings;

/** Lists the times of the readings; only a store with partitions needs them. */
function* timesOf(batch: TelemetryBatch): Generator<number, void> {
  for (const { tsMs } of readingsOf(batch)) yield tsMs;
}

/** Returns the position in a reading, if it has a plausible part of one. */
function placeIn(reading: Reading): NewPlace[] {
  if (reading.group !== POSITION_GROUP) return [];
  const { deviceNo, tsMs } = reading;
  const [latitude, longitude, altitude] = [
    goodValueIn(reading, 0),
    goodValueIn(reading, 1),
    goodValueIn(reading, 2),
  ];
  if (latitude === null && longitude === null && altitude === null) return [];
  return [{ deviceNo, tsMs, latitude, longitude, altitude }];
}

/**
 * Returns the new values: whole readings, and the missing parts of repeated ones. The chunks are read last, because a reading
 * that was in the table may be in a chunk by then; usually all are stored by then. A late reading of a time that a chunk already
 * has is stored as a row until the compressor adds it to the chunk; where both have a value, that of the chunk counts.
 */
async function storeReadings(sql: Sql, readings: readonly Reading[]): Promise<Reading[]> {
  if (readings.length === 0) return [];
  const [taken, chunked] = await together([insertReadings(sql, readings), chunkedValues(sql, readings)]);
  const repeated = taken.flatMap((position) => readings[position] ?? []);
  const inTable = repeated.length === 0 ? [] : await lockReadings(sql, repeated);
  const inChunks = repeated.length === 0 ? chunked : await chunkedValues(sql, readings);
  if (repeated.length === 0 && inChunks.size === 0) return [...readings];
  const stored = new Map(taken.map((position, index) => [position, inTable[index] ?? NO_VALUES]));
  const fills: Reading[] = [];
  const news: Reading[] = [];
  for (const [position, reading] of readings.entries()) {
    const chunked = inChunks.get(position);
    const row = stored.get(position);
    const missing = missingPart(joined(chunked ?? NO_VALUES, row ?? NO_VALUES), reading);
    if (missing === undefined) continue;
    news.push(missing);
    if (row !== undefined) fills.push(missing);
  }
  await addMissingValues(sql, fills);
  return distinctReadings(news);
}

type Values = Pick<Reading, 'a' | 'b' | 'c'>;

const NO_VALUES: Values = { a: null, b: null, c: null };

const joined = (first: Values, second: Values): Values => ({
  a: first.a ?? second.a,
  b: first.b ?? second.b,
  c: first.c ?? second.c,
});

/**
 * Adds new readings, ordered by time, to the open buckets, which are stored with a device's latest values, and returns the
 * roll-ups of five minutes that are closed. Nearly every reading belongs to an open bucket, so it changes one row instead of
 * three buckets; a history includes the open ones when it is read. `locked` has at least the rows of these readings.
 */
async function updateOpenBuckets(
  sql: Sql,
  locked: ReadonlyMap<number, OpenBucketRow>,
  readings: readonly Reading[],
): Promise<Rollup[]> {
  const changed = new Map<number, OpenBucketRow>();
  const closed = new ClosedBuckets();
  for (const reading of readings) {
    const key = openBucketKey(reading);
    const row = locked.get(key);
    if (row === undefined) throw new Error(`device ${reading.deviceNo} has no row for its newest values`);
    addToOpenBuckets(row.open, reading, closed);
    changed.set(key, row);
  }
  await saveOpenBuckets(sql, changed);
  return closed.rollups();
}

interface ReceivedBatch {
  readonly readings: readonly Reading[];
  readonly seen: readonly LastSeenUpdate[];
  /** All messages of those devices of which at least one message was not as it should be, in the order of arrival. */
  readonly receptions: readonly MessageReception[];
}

/** Stores how the messages of a batch were received, if that has changed; returns the devices whose alerts may change. */
async function recordReceptions(tx: Transaction, batch: ReceivedBatch): Promise<ReadonlySet<number>> {
  const messages = Map.groupBy(batch.receptions, ({ deviceNo }) => deviceNo);
  const newestMs = newestTimes(batch.readings);
  const deviceNos = new Set([...messages.keys(), ...newestMs.keys()]);
  const toEvaluate = new Set<number>();
  if (deviceNos.size === 0) return toEvaluate;
  const stored = await receptionsOf(tx, RECEPTION_DOCUMENT, [...deviceNos]);
  if (stored.size === 0 && messages.size === 0) return toEvaluate;
  const seenAtMs = new Map(batch.seen.map(({ deviceNo, atMs }) => [deviceNo, atMs]));
  const changed = new Map<number, Reception | null>();
  for (const deviceNo of deviceNos) {
    const before = stored.get(deviceNo) ?? null;
    const own = messages.get(deviceNo) ?? usualMessages(deviceNo, newestMs, seenAtMs);
    const after = own.reduce(advanceReception, before);
    if (after === before) continue;
    changed.set(deviceNo, after);
    if (changesAlerts(before, after)) toEvaluate.add(deviceNo);
  }
  if (changed.size > 0) await saveReceptions(tx, RECEPTION_DOCUMENT, changed);
  return toEvaluate;
}

function newestTimes(readings: readonly Reading[]): Map<number, number> {
  const newest = new Map<number, number>();
  for (const { deviceNo, tsMs } of readings) {
    if (tsMs > (newest.get(deviceNo) ?? Number.NEGATIVE_INFINITY)) newest.set(deviceNo, tsMs);
  }
  return newest;
}

/**
 * Returns a message for a device without reported messages, if its newest reading shows that the clock is right. Otherwise the
 * batch may have only the old readings of a long message, which say nothing about the clock.
 */
function usualMessages(
  deviceNo: number,
  newestMs: ReadonlyMap<number, number>,
  seenAtMs: ReadonlyMap<number, number>,
): MessageReception[] {
  const atMs = seenAtMs.get(deviceNo) ?? 0;
  const clockOffsetMs = (newestMs.get(deviceNo) ?? atMs) - atMs;
  return isClockRight(clockOffsetMs) ? [{ deviceNo, atMs, refusal: null, clockOffsetMs }] : [];
}
