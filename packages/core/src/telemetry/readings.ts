import type { TIME_UNITS } from '@granary/contract/devices/reception';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { durationText } from '@granary/contract/sentences/english';
import type { ChannelName } from '@granary/contract/telemetry/channels';
import type { DeviceReading } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, parseTime, SECOND_MS } from '@granary/contract/time';
import { CLOCK_AHEAD_MS_MAX } from '../jobs/polling.ts';
import type { Lane, Sensor, Slot } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { isPlausible } from './plausibility.ts';

/** The largest whole number that both databases and JavaScript represent exactly; larger values cannot be stored. */
const STORED_VALUE_MAX = Number.MAX_SAFE_INTEGER;
const SLOT_NAMES = ['a', 'b', 'c'] as const;
const OTHER_UNITS = [
  { name: 'seconds', perSecond: 1 },
  { name: 'microseconds', perSecond: 1e6 },
  { name: 'nanoseconds', perSecond: 1e9 },
] as const;
/** No device of this kind measured before the year 2000. */
const EARLIEST_CLOCK_MS = Date.UTC(2000, 0, 1);

/**
 * A reading in its stored form: up to three values of one group, as whole numbers of the smallest unit of their sensors.
 * What a device measures at one time with sensors of several groups are several of these.
 */
export interface Reading {
  readonly deviceNo: number;
  readonly tsMs: number;
  readonly group: number;
  readonly a: number | null;
  readonly b: number | null;
  readonly c: number | null;
  /** The bit `1 << slot` is set for a value that is implausible, or that the device marks as not valid. */
  readonly badMask: number;
}

/** `null` for a value that is missing or bad. */
export const goodValueIn = (reading: Reading, slot: Slot): number | null =>
  (reading.badMask & (1 << slot)) === 0 ? reading[SLOT_NAMES[slot]] : null;

/** The facts about a device that are needed to check its readings. */
export interface ReadingSource {
  readonly deviceNo: number;
  readonly capacityKg?: number | null;
  /** The declared sensors by their ids. */
  readonly declared?: ReadonlyMap<string, Sensor>;
}

export interface ReadingWindow {
  readonly oldestMs: number;
  readonly newestMs: number;
}

/**
 * Converts a reading of a message into its stored form, or returns what is wrong with it. Values of sensors that are not
 * declared are left out; `undeclaredIn` names them.
 */
export function acceptReading(
  source: ReadingSource,
  sent: DeviceReading,
  window: ReadingWindow,
): Reading[] | ValidationIssue {
  const tsMs = timeOf(sent);
  if (tsMs === null) return issueOf('/ts', sentence('is_no_time'));
  if (!(tsMs <= window.newestMs && tsMs >= window.oldestMs)) {
    return { path: '/ts', message: timeFault(sent.ts, tsMs, window) };
  }
  const rows = new GroupRows(source, tsMs);
  for (const name in sent) {
    if (name === 'ts' || name === 'sensors' || name === 'bad') continue;
    const channel = name as ChannelName;
    if (!rows.add(STANDARD_SENSORS[channel], sent[channel] as number)) return outOfRange(`/${name}`);
  }
  if (sent.sensors !== undefined) {
    for (const sensorId of Object.keys(sent.sensors)) {
      const sensor = source.declared?.get(sensorId);
      if (sensor === undefined) continue;
      if (!rows.add(sensor, sent.sensors[sensorId] as number)) return outOfRange(`/sensors/${sensorId}`);
    }
  }
  return sent.bad === undefined ? rows.readings : (missingBad(source, sent, rows) ?? rows.readings);
}

/** Marks the values that the device says are not valid. A name without a value is a fault, because a wrong value would stay good. */
function missingBad(source: ReadingSource, sent: DeviceReading, rows: GroupRows): ValidationIssue | null {
  for (const [index, name] of (sent.bad ?? []).entries()) {
    const isStandard = Object.hasOwn(STANDARD_SENSORS, name) && Object.hasOwn(sent, name);
    if (!isStandard && !(sent.sensors !== undefined && Object.hasOwn(sent.sensors, name))) {
      return issueOf(`/bad/${index}`, sentence('is_no_value_of_reading'));
    }
    const sensor = isStandard ? STANDARD_SENSORS[name as ChannelName] : source.declared?.get(name);
    if (sensor !== undefined) rows.markBad(sensor);
  }
  return null;
}

const outOfRange = (path: string): ValidationIssue => issueOf(path, sentence('is_out_of_range'));

type Growing = { -readonly [K in keyof Reading]: Reading[K] };

/** Collects the values of one time in the rows of their sensor groups. */
class GroupRows {
  readings: Growing[] = [];
  readonly #source: ReadingSource;
  readonly #tsMs: number;

  constructor(source: ReadingSource, tsMs: number) {
    this.#source = source;
    this.#tsMs = tsMs;
  }

  /** Returns false for a value that cannot be stored. */
  add(sensor: Sensor, value: number): boolean {
    const { scale, lane } = sensor;
    const stored = Math.round(value * scale);
    const isGood = isPlausible(sensor, stored / scale, this.#source.capacityKg ?? undefined);
    if (!isGood && !(Math.abs(stored) <= STORED_VALUE_MAX)) return false;
    const row = this.#row(lane.group);
    row[SLOT_NAMES[lane.slot]] = stored;
    if (!isGood) row.badMask |= 1 << lane.slot;
    return true;
  }

  markBad({ lane }: Sensor): void {
    this.#row(lane.group).badMask |= 1 << lane.slot;
  }

  #row(group: number): Growing {
    for (let index = this.readings.length - 1; index >= 0; index--) {
      const row = this.readings[index];
      if (row?.group === group) return row;
    }
    const { deviceNo } = this.#source;
    const row: Growing = { deviceNo, tsMs: this.#tsMs, group, a: null, b: null, c: null, badMask: 0 };
    // An array that grows by `push` has room for many rows, and most readings have one.
    if (this.readings.length === 0) this.readings = [row];
    else this.readings.push(row);
    return row;
  }
}

/** The sensors of a reading that the device has not declared. */
export const undeclaredIn = ({ declared }: ReadingSource, { sensors }: DeviceReading): string[] =>
  sensors === undefined ? [] : Object.keys(sensors).filter((sensorId) => declared?.has(sensorId) !== true);

/** `null` for a text that is not a time. */
export const timeOf = ({ ts }: Pick<DeviceReading, 'ts'>): number | null =>
  typeof ts === 'number' ? ts : parseTime(ts);

/** The unit that was probably confused with milliseconds, which is the usual mistake; `null` if there is none. */
export const confusedUnit = (sent: string | number, newestMs: number): (typeof TIME_UNITS)[number] | null =>
  typeof sent === 'string'
    ? null
    : (OTHER_UNITS.find(({ perSecond }) => {
        const timeMs = (sent / perSecond) * SECOND_MS;
        return timeMs >= EARLIEST_CLOCK_MS && timeMs <= newestMs + DAY_MS;
      })?.name ?? null);

/** The text is for the developer of the device. */
function timeFault(sent: string | number, tsMs: number, { oldestMs, newestMs }: ReadingWindow): string {
  const unit = confusedUnit(sent, newestMs);
  if (unit !== null) return `looks like ${unit}; send milliseconds or ISO 8601`;
  const nowMs = newestMs - CLOCK_AHEAD_MS_MAX;
  if (tsMs > newestMs) {
    return `lies ${durationText(tsMs - nowMs)} in the future; at most ${durationText(CLOCK_AHEAD_MS_MAX)} is taken`;
  }
  return `is ${durationText(nowMs - tsMs)} old; readings are kept for ${durationText(nowMs - oldestMs)}`;
}

export const isFault = (result: Reading[] | ValidationIssue): result is ValidationIssue => 'path' in result;

/** One reading per device, time and group, ordered by time; of two values of one sensor the one that arrived first is kept. */
export function distinctReadings(readings: readonly Reading[]): Reading[] {
  const distinct: Reading[] = [];
  let previous: Reading | undefined;
  for (const reading of readings.toSorted(byTimeDeviceAndGroup)) {
    if (previous !== undefined && byTimeDeviceAndGroup(previous, reading) === 0) {
      previous = merged(previous, reading);
      distinct[distinct.length - 1] = previous;
    } else {
      previous = reading;
      distinct.push(reading);
    }
  }
  return distinct;
}

const byTimeDeviceAndGroup = (one: Reading, other: Reading): number =>
  one.tsMs - other.tsMs || one.deviceNo - other.deviceNo || one.group - other.group;

function merged(first: Reading, later: Reading): Reading {
  const missing = missingPart(first, later);
  if (missing === undefined) return first;
  return {
    ...first,
    a: first.a ?? missing.a,
    b: first.b ?? missing.b,
    c: first.c ?? missing.c,
    badMask: first.badMask | missing.badMask,
  };
}

type Values = Pick<Reading, 'a' | 'b' | 'c'>;

/** The part of a repeated reading that the stored one, good and bad values together, did not have. */
export function missingPart(stored: Values, sent: Reading): Reading | undefined {
  const a = stored.a === null ? sent.a : null;
  const b = stored.b === null ? sent.b : null;
  const c = stored.c === null ? sent.c : null;
  if (a === null && b === null && c === null) return undefined;
  const mask = (a === null ? 0 : 1) | (b === null ? 0 : 2) | (c === null ? 0 : 4);
  return { ...sent, a, b, c, badMask: sent.badMask & mask };
}

/** The latest value of a sensor in a batch of readings. */
export interface NewestValue extends Lane {
  readonly deviceNo: number;
  readonly value: number;
  readonly tsMs: number;
  readonly isBad: boolean;
}

/** A number above every group number that a device can have. */
const GROUPS_MAX = 2 ** 20;

/** The latest value, good or bad, of each sensor of each device in readings that are ordered by time. */
export function newestValues(readings: readonly Reading[]): NewestValue[] {
  const newest: NewestValue[] = [];
  /** The slots whose newest value is known. */
  const known = new Map<number, number>();
  for (let index = readings.length - 1; index >= 0; index--) {
    const reading = readings[index] as Reading;
    const key = reading.deviceNo * GROUPS_MAX + reading.group;
    const before = known.get(key) ?? 0;
    const added = slotsOf(reading) & ~before;
    if (added === 0) continue;
    known.set(key, before | added);
    if ((added & 1) !== 0) newest.push(newestIn(reading, 0, reading.a));
    if ((added & 2) !== 0) newest.push(newestIn(reading, 1, reading.b));
    if ((added & 4) !== 0) newest.push(newestIn(reading, 2, reading.c));
  }
  return newest;
}

const slotsOf = ({ a, b, c }: Reading): number =>
  (a === null ? 0 : 1) | (b === null ? 0 : 2) | (c === null ? 0 : 4);

const newestIn = (
  { deviceNo, group, tsMs, badMask }: Reading,
  slot: Slot,
  value: number | null,
): NewestValue => ({
  deviceNo,
  group,
  slot,
  value: value ?? 0,
  tsMs,
  isBad: (badMask & (1 << slot)) !== 0,
});

/** Readings as consecutive numbers, which cost far less to pass between threads than objects. */
export type PackedReadings = Float64Array<ArrayBuffer>;

/** The numbers of one reading. A missing value is `NaN`, because every stored number is whole. */
export const FIELDS = 7;
/** The indexes of the time and of the first value in a reading. */
export const TIME_AT = 1;
export const VALUES_AT = 3;
const packed = (value: number | null): number => value ?? Number.NaN;
const unpacked = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

export function packReadings(readings: readonly Reading[]): PackedReadings {
  const numbers = new Float64Array(readings.length * FIELDS);
  for (const [index, reading] of readings.entries()) packReading(reading, numbers, index * FIELDS);
  return numbers;
}

export function packReading(
  { deviceNo, tsMs, group, a, b, c, badMask }: Reading,
  numbers: PackedReadings,
  at: number,
): void {
  numbers[at] = deviceNo;
  numbers[at + TIME_AT] = tsMs;
  numbers[at + 2] = group;
  numbers[at + VALUES_AT] = packed(a);
  numbers[at + VALUES_AT + 1] = packed(b);
  numbers[at + VALUES_AT + 2] = packed(c);
  numbers[at + 6] = badMask;
}

export const countOf = (numbers: PackedReadings): number => numbers.length / FIELDS;

export function unpackReadings(numbers: PackedReadings): Reading[] {
  const readings: Reading[] = [];
  for (let at = 0; at < numbers.length; at += FIELDS) {
    readings.push({
      deviceNo: numbers[at] ?? 0,
      tsMs: numbers[at + 1] ?? 0,
      group: numbers[at + 2] ?? 0,
      a: unpacked(numbers[at + 3]),
      b: unpacked(numbers[at + 4]),
      c: unpacked(numbers[at + 5]),
      badMask: numbers[at + 6] ?? 0,
    });
  }
  return readings;
}
