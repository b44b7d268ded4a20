import type { Client } from '@granary/client';
import type { Alert } from '@granary/contract/alerts';
import type { AuditEntry } from '@granary/contract/audit';
import type { FleetDevice } from '@granary/contract/fleet';
import type { Refill } from '@granary/contract/foresight/refills';
import type { OperationRecord } from '@granary/contract/operations';
import { INTERVAL_MS } from '@granary/contract/outline';
import type { Note } from '@granary/contract/shifts';
import type { Interval } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, HOUR_MS } from '@granary/contract/time';
import { shownAs } from '../../context/units.ts';
import { hasCapability, lineKey, type ShownSensor } from '../facts/sensors.ts';
import { intervalsFor, type TimeRange } from './chart-selection.ts';
import { type Bucket, bucketsOf } from './series.ts';

/** More marks than this would cover the axis, and each page of them is a request. */
const MARKS_MAX = 300;

export interface SensorHistory {
  readonly sensor: ShownSensor;
  readonly interval: Interval;
  readonly buckets: readonly Bucket[];
}

/** The history of a sensor in the finest resolution that the width can show and that is still stored. */
export async function loadHistory(
  client: Client,
  device: Pick<FleetDevice, 'device_id' | 'group'>,
  sensor: ShownSensor,
  range: TimeRange,
  widthPx: number,
  signal: AbortSignal,
): Promise<SensorHistory> {
  for (const interval of intervalsFor(range, widthPx)) {
    const buckets = await readBuckets(client, sensor.compared ?? device, sensor, range, interval, signal);
    if (buckets.length > 0 || interval === '1d') return { sensor, interval, buckets };
  }
  return { sensor, interval: '1d', buckets: [] };
}

async function readBuckets(
  client: Client,
  { device_id, group }: Pick<FleetDevice, 'device_id' | 'group'>,
  sensor: ShownSensor,
  range: TimeRange,
  interval: Interval,
  signal: AbortSignal,
): Promise<Bucket[]> {
  const readings = { silo: client.telemetry, field: client.fieldReadings }[group];
  const query = { ...historyQuery(sensor, range, interval), include: 'range' } as const;
  const { points } = await readings.history(device_id, query, { signal });
  return bucketsOf(points, INTERVAL_MS[interval]);
}

/** The weight of a silo is read as its level in kilograms. The bucket in which the range begins is part of the history. */
function historyQuery({ id }: Pick<ShownSensor, 'id'>, { fromMs, toMs }: TimeRange, interval: Interval) {
  const step = INTERVAL_MS[interval];
  return {
    ...(id === 'weight' ? ({ sensor: 'level', unit: 'kg' } as const) : { sensor: id }),
    from: new Date(Math.floor(fromMs / step) * step).toISOString(),
    to: new Date(toMs).toISOString(),
    interval,
  };
}

const WEEK_MS = 7 * DAY_MS;
const WEEKS = 4;

/** The range of values that a sensor usually has at one time of the week. */
export interface UsualValue {
  readonly atMs: number;
  readonly min: number;
  readonly max: number;
}

/** The lowest and highest hourly means of the four weeks before, at the same hour of the same weekday. */
export async function loadUsual(
  client: Client,
  device: Pick<FleetDevice, 'device_id' | 'group'>,
  sensor: ShownSensor,
  { fromMs, toMs }: TimeRange,
  signal: AbortSignal,
): Promise<readonly UsualValue[]> {
  const past = { fromMs: fromMs - WEEKS * WEEK_MS, toMs, preset: null };
  return usualValues(await readBuckets(client, device, sensor, past, '1h', signal), { fromMs, toMs });
}

/** One week alone does not show what is usual. */
export function usualValues(
  buckets: readonly Bucket[],
  { fromMs, toMs }: Pick<TimeRange, 'fromMs' | 'toMs'>,
): UsualValue[] {
  const means = new Map(buckets.map(({ atMs, mean }) => [atMs, mean]));
  const firstMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS + HOUR_MS / 2;
  const hours = Array.from(
    { length: Math.ceil((toMs - firstMs) / HOUR_MS) + 1 },
    (_, hour) => firstMs + hour * HOUR_MS,
  );
  return hours.flatMap((atMs) => {
    const before = Array.from({ length: WEEKS }, (_, week) => means.get(atMs - (week + 1) * WEEK_MS));
    const known = before.filter((mean) => mean !== undefined);
    return known.length < 2 ? [] : [{ atMs, min: Math.min(...known), max: Math.max(...known) }];
  });
}

/** The events on the time axis. */
export interface ChartMarks {
  readonly operations: readonly OperationRecord[];
  readonly alerts: readonly Alert[];
  readonly notes: readonly Note[];
  /** Refills that belong to no operation. */
  readonly refills: readonly Refill[];
  /** The changes that people made to the device; empty for a key that may not read the audit log. */
  readonly changes: readonly AuditEntry[];
}

const NOTHING = { data: [] };
/** The changes with these names have entries of their own. */
const NO_CHANGE = /^(operations|alerts|fleet|shifts|proposals|confirmations)\./;

/** Reads the events of the range. All lists are newest first, so a list without a range is read until it is older than the range. */
export async function loadMarks(
  client: Client,
  { device_id, group, profile }: Pick<FleetDevice, 'device_id' | 'group' | 'profile'>,
  { fromMs, toMs }: TimeRange,
  mayReadChanges: boolean,
  signal: AbortSignal,
): Promise<ChartMarks> {
  const page = { limit: 100 };
  const ofRange = {
    device_id,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    limit: MARKS_MAX,
  };
  const operates = hasCapability(profile, 'operations');
  const [operations, alerts, notes, refills, changes] = await Promise.all([
    operates
      ? until(
          client.operations.listAll(device_id, page, { signal }),
          ({ started_at }) => Date.parse(started_at),
          fromMs,
        )
      : [],
    until(
      client.alerts[group].listAll(device_id, { ...page, status: 'all' }, { signal }),
      ({ created_at }) => Date.parse(created_at),
      fromMs,
    ),
    client.shifts.notes(ofRange, { signal }),
    operates ? client.foresight.refills(ofRange, { signal }) : NOTHING,
    mayReadChanges ? client.audit.list({ ...ofRange, result: 'done' }, { signal }) : NOTHING,
  ]);
  return {
    operations: operations.filter(({ started_at }) => Date.parse(started_at) <= toMs),
    alerts: alerts.filter(({ created_at }) => Date.parse(created_at) <= toMs),
    notes: notes.data,
    refills: refills.data.filter(({ is_refill, operation_id }) => is_refill && operation_id === null),
    changes: changes.data.filter(({ action }) => !NO_CHANGE.test(action)),
  };
}

async function until<Item>(
  items: AsyncIterable<Item>,
  timeOf: (item: Item) => number,
  fromMs: number,
): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) {
    found.push(item);
    // The last entry may have begun before the range and lasted into it.
    if (timeOf(item) < fromMs || found.length === MARKS_MAX) break;
  }
  return found;
}

/**
 * The contents of the chart in the units of the person, one line for each interval of each sensor; times are the beginnings of
 * the intervals in UTC.
 */
export function csvOf(deviceId: string, histories: readonly SensorHistory[]): string {
  const lines = histories.flatMap(({ sensor, interval, buckets }) => {
    const { unit, toShown } = shownAs(sensor.unit, sensor.compared?.device_id ?? deviceId);
    return buckets.map(({ atMs, mean, min, max }) =>
      [
        new Date(atMs - INTERVAL_MS[interval] / 2).toISOString(),
        interval,
        cell(lineKey(sensor)),
        cell(unit),
        ...[mean, min, max].map((value) => rounded(toShown(value))),
      ].join(','),
    );
  });
  return `${['timestamp,interval,sensor,unit,mean,min,max', ...lines].join('\r\n')}\r\n`;
}

/** Rounds to three decimals: no sensor measures finer, and further digits come from the computation. */
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

/** The name of the file, which contains the device, the sensors and the days. */
export function csvName(deviceId: string, histories: readonly SensorHistory[], range: TimeRange): string {
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const sensors = histories.map(({ sensor }) => lineKey(sensor)).join('+');
  return `${deviceId}_${sensors}_${day(range.fromMs)}_${day(range.toMs)}.csv`;
}

/** A text that begins like a formula gets an apostrophe, because a spreadsheet would compute it. */
function cell(text: string): string {
  const plain = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
