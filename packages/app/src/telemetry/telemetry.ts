import {
  CHANNEL_NAMES,
  CHANNELS_OF,
  type ChannelName,
  type DeviceKind,
} from '@granary/contract/telemetry/channels';
import type { LatestValue, LatestValues, Reading, StoredValues } from '@granary/core/telemetry/readings';
import {
  distinctReadings,
  missingPart,
  newestValues,
  rollUpMinutes,
  withCoarser,
} from '@granary/core/telemetry/rollup';
import type { BulkTarget, NumberRow, Sql } from '@granary/store/sql';
import { addToBuckets, dropBuckets, type HistoryRange, readBuckets } from '@granary/store/tables/buckets';
import { badBitOf, CHANNELS_IN_GROUP, laneColumns } from '@granary/store/tables/channel-layout';
import {
  type LastSeenUpdate,
  type NewRejection,
  recordRejections,
  recordSeen,
} from '@granary/store/tables/presence';
import { addToTracks, dropTracks, readTrack, type TrackRange } from '@granary/store/tables/tracks';
import { markForEvaluation } from '../alerts/mark-for-evaluation.ts';
import { type Committed, committed, evaluateAlerts } from '../effects.ts';
import { addToNewest } from './open-buckets.ts';

/** Sums of this many of the largest values stay whole numbers that floating point holds exactly. */
export const READINGS_PER_APPEND_MAX = 50_000;

export interface TelemetryBatch {
  readonly readings: readonly Reading[];
  readonly seen: readonly LastSeenUpdate[];
  readonly rejections: readonly NewRejection[];
}

export interface AppendReceipt {
  /** Readings that told something new. */
  readonly stored: number;
  /** Readings that were stored before. */
  readonly repeated: number;
}

export interface Expiry {
  readonly rawBeforeMs: number;
  readonly fiveMinutesBeforeMs: number;
  /** How much one call may remove, so that it never holds up other writes for long. */
  readonly rowsMax: number;
}

export interface CurrentValues {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly kind: DeviceKind;
  readonly facility: string;
  readonly capacityKg: number | null;
  readonly reportingIntervalMs: number;
  readonly latest: LatestValues;
}

type LatestRow = (number | null)[];
type CurrentRow = [
  deviceNo: number,
  kind: DeviceKind,
  facility: string,
  capacityKg: number | null,
  reportingIntervalMs: number,
  ...LatestRow,
];

const LATEST_FIELDS = ['value', 'ts_ms', 'bad_value', 'bad_ts_ms'];
const LATEST_COLUMNS = `sensor_group, ${laneColumns(LATEST_FIELDS).join(', ')}`;

export const reads = {
  async latest(sql: Sql, deviceNo: number): Promise<LatestValues> {
    return latestOf(
      await sql.query<LatestRow>(`SELECT ${LATEST_COLUMNS} FROM open_buckets WHERE device_no = $1`, [
        deviceNo,
      ]),
    );
  },

  /** A device and its newest values in one look, so that both are of the same moment. */
  async current(sql: Sql, deviceId: string): Promise<CurrentValues | undefined> {
    const rows = await sql.query<CurrentRow>(
      `SELECT device_no, kind, facility, capacity_kg, reporting_interval_ms, ${LATEST_COLUMNS}
       FROM devices JOIN presence USING (device_no) LEFT JOIN open_buckets USING (device_no) WHERE device_id = $1`,
      [deviceId],
    );
    const [first] = rows;
    if (first === undefined) return undefined;
    const [deviceNo, kind, facility, capacityKg, reportingIntervalMs] = first;
    const latest = latestOf(rows.map(([, , , , , ...values]) => values));
    return { deviceNo, deviceId, kind, facility, capacityKg, reportingIntervalMs, latest };
  },

  history: (sql: Sql, range: HistoryRange) => readBuckets(sql, range),

  track: (sql: Sql, range: TrackRange) => readTrack(sql, range),
};

export const preparations = {
  append: (sql: Sql, { readings }: TelemetryBatch) => sql.prepareReadings(readings.map(({ tsMs }) => tsMs)),
};

export const writes = {
  /** Stores every reading exactly once, however often and in whatever order it comes. */
  async append(sql: Sql, batch: TelemetryBatch): Promise<Committed<AppendReceipt>> {
    if (batch.readings.length > READINGS_PER_APPEND_MAX) {
      throw new RangeError(`a batch holds ${batch.readings.length} readings; ${READINGS_PER_APPEND_MAX} fit`);
    }
    const news = await storeReadings(sql, distinctReadings(batch.readings));
    const fiveMinutes = rollUpMinutes(news);
    await addToBuckets(sql, withCoarser(await addToNewest(sql, fiveMinutes)));
    await addToTracks(sql, news);
    await recordSeen(sql, batch.seen);
    await recordRejections(sql, batch.rejections);
    const toEvaluate = await markForEvaluation(sql, newestValues(fiveMinutes), batch.seen);
    const receipt = { stored: news.length, repeated: batch.readings.length - news.length };
    return committed(receipt, ...evaluateAlerts(toEvaluate));
  },

  /** Removes a bounded part of what is past its time and answers how much; 0 when nothing is left to remove. */
  async expire(sql: Sql, { rawBeforeMs, fiveMinutesBeforeMs, rowsMax }: Expiry): Promise<Committed<number>> {
    const readings = await sql.dropReadings(rawBeforeMs, rowsMax);
    const positions = await dropTracks(sql, rawBeforeMs, rowsMax);
    const buckets = await dropBuckets(sql, '5m', fiveMinutesBeforeMs, rowsMax);
    return committed(readings + positions + buckets);
  },
};

export async function latestOfMany(
  sql: Sql,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, LatestValues>> {
  const rows = await sql.query<[deviceNo: number, ...LatestRow]>(
    `SELECT device_no, ${LATEST_COLUMNS} FROM open_buckets WHERE ${sql.isOneOfNumbers('device_no', '$1')}`,
    [JSON.stringify(deviceNos)],
  );
  const ofDevices = Map.groupBy(rows, ([deviceNo]) => deviceNo);
  return new Map([...ofDevices].map(([deviceNo, own]) => [deviceNo, latestOf(own.map(([, ...row]) => row))]));
}

function latestOf(rows: readonly LatestRow[]): LatestValues {
  const latest: { [C in ChannelName]?: LatestValue } = {};
  for (const [group, ...slots] of rows) {
    for (const [index, channel] of (CHANNELS_IN_GROUP.get(group ?? 0) ?? []).entries()) {
      const at = LATEST_FIELDS.length * index;
      const good = valueAt(slots[at], slots[at + 1]);
      const bad = valueAt(slots[at + 2], slots[at + 3]);
      const newest = bad !== undefined && !(good !== undefined && good.tsMs > bad.tsMs) ? bad : good;
      if (newest !== undefined) latest[channel] = newest;
    }
  }
  return latest;
}

const valueAt = (value: number | null | undefined, tsMs: number | null | undefined) =>
  value == null || tsMs == null ? undefined : { value, tsMs };

/** Answers what was new: whole readings, and the parts of repeated ones that were missing before. */
async function storeReadings(sql: Sql, readings: readonly Reading[]): Promise<Reading[]> {
  if (readings.length === 0) return [];
  const layout = layoutOf(readings);
  const taken = await sql.insertNew(readingsTarget(layout), rowsOf(readings, layout));
  if (taken.length === 0) return [...readings];
  const fills = await fillGaps(
    sql,
    taken.flatMap((position) => readings[position] ?? []),
  );
  const repeated = new Set(taken);
  const whole = readings.filter((_, position) => !repeated.has(position));
  return distinctReadings([...whole, ...fills]);
}

async function fillGaps(sql: Sql, repeated: readonly Reading[]): Promise<Reading[]> {
  const target = readingsTarget({ channels: CHANNEL_NAMES, withMask: true });
  const stored = new Map<string, StoredValues>();
  const keys = repeated.map(({ tsMs, deviceNo }) => [tsMs, deviceNo]);
  for (const [tsMs, deviceNo, ...values] of await sql.lockMany(target, keys)) {
    stored.set(`${tsMs} ${deviceNo}`, valuesOf(values));
  }
  const fills = repeated.flatMap((reading) => {
    return missingPart(stored.get(`${reading.tsMs} ${reading.deviceNo}`) ?? {}, reading) ?? [];
  });
  const update = [
    ...CHANNEL_NAMES.map((name) => `${name} = COALESCE(readings.${name}, excluded.${name})`),
    'bad_mask = NULLIF(COALESCE(readings.bad_mask, 0) | COALESCE(excluded.bad_mask, 0), 0)',
  ].join(', ');
  await sql.upsertMany({ ...target, update }, rowsOf(fills, { channels: CHANNEL_NAMES, withMask: true }));
  return fills;
}

/** Which columns the rows of a batch have. */
interface RowLayout {
  readonly channels: readonly ChannelName[];
  readonly withMask: boolean;
}

const readingsTarget = ({ channels, withMask }: RowLayout): BulkTarget => ({
  table: 'readings',
  key: ['ts_ms', 'device_no'],
  columns: ['ts_ms', 'device_no', ...channels, ...(withMask ? ['bad_mask'] : [])],
});

const rowsOf = (readings: readonly Reading[], { channels, withMask }: RowLayout): NumberRow[] =>
  readings.map(({ tsMs, deviceNo, values, badValues }) => {
    const row = [
      tsMs,
      deviceNo,
      ...channels.map((channel) => values[channel] ?? badValues?.[channel] ?? null),
    ];
    if (withMask) row.push(badMaskOf(badValues));
    return row;
  });

function badMaskOf(badValues: StoredValues | undefined): number | null {
  if (badValues === undefined) return null;
  return CHANNEL_NAMES.reduce(
    (mask, name) => (badValues[name] === undefined ? mask : mask | badBitOf(name)),
    0,
  );
}

function valuesOf(row: NumberRow): StoredValues {
  const values: StoredValues = {};
  for (const [position, channel] of CHANNEL_NAMES.entries()) {
    const value = row[position];
    if (value !== null && value !== undefined) values[channel] = value;
  }
  return values;
}

/** The shortest usual row that all readings fit in: nine empty columns make an insert about a fifth dearer. */
function layoutOf(readings: readonly Reading[]): RowLayout {
  const used = new Set<string>();
  let withMask = false;
  for (const { values, badValues } of readings) {
    for (const channel in values) used.add(channel);
    if (badValues === undefined) continue;
    withMask = true;
    for (const channel in badValues) used.add(channel);
  }
  const usual: (readonly ChannelName[])[] = [CHANNELS_OF.silo, CHANNELS_OF.field];
  const channels = usual.find((some) => used.isSubsetOf(new Set<string>(some))) ?? CHANNEL_NAMES;
  return { channels, withMask };
}
