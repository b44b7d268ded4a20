import { INTERVAL_MS, type Interval } from '@granary/contract/telemetry/telemetry';
import { type Lane, SLOTS_PER_GROUP, type Slot } from '../sensors/sensor.ts';
import type { Reading } from './readings.ts';

/** The implausible values of one sensor in one time window. */
export interface BadFigures {
  readonly count: number;
  readonly last: number;
  readonly lastTsMs: number;
}

/**
 * The figures of readings of one sensor in one time window. Two roll-ups of the same window can be added. While `count` is
 * 0, only `bad` has values.
 */
export interface Rollup extends Lane {
  readonly deviceNo: number;
  readonly interval: Interval;
  readonly startMs: number;
  readonly sum: number;
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly last: number;
  readonly lastTsMs: number;
  readonly bad: BadFigures | null;
}

type Growing = { -readonly [K in keyof Rollup]: Rollup[K] };

/**
 * Computes the roll-ups of distinct readings, ordered by time, for every bucket they belong to. Coarse buckets are computed
 * from fine ones, so each reading is processed once.
 */
export const rollUp = (readings: readonly Reading[]): Rollup[] => withCoarser(rollUpMinutes(readings));

/** Roll-ups of five minutes together with those of their hours and days. */
export function withCoarser(fiveMinutes: readonly Rollup[]): Rollup[] {
  const hours = foldRollups(fiveMinutes, '1h');
  const days = foldRollups(hours, '1d');
  return [...fiveMinutes, ...hours, ...days];
}

const isSameSeries = (one: Rollup, other: Rollup): boolean =>
  one.deviceNo === other.deviceNo && one.group === other.group && one.slot === other.slot;

const startOf = (timeMs: number, interval: Interval): number =>
  Math.floor(timeMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];

/** The keys are the numbers of lanes. */
type SeriesOfDevice = Map<number, Growing[]>;

/** Returns each series as one run ordered by time, so that the coarser roll-ups need only the previous entry. */
export function rollUpMinutes(readings: readonly Reading[]): Rollup[] {
  const devices = new Map<number, SeriesOfDevice>();
  for (const reading of readings) {
    const device = devices.get(reading.deviceNo) ?? new Map();
    foldReading(device, reading);
    devices.set(reading.deviceNo, device);
  }
  const inOrder = [...devices].toSorted(([a], [b]) => a - b);
  return inOrder.flatMap(([, device]) => [...device.values()].flat());
}

/** The figures of a window without a plausible value: the neutral element of the addition. */
export const NO_GOOD_VALUE = {
  sum: 0,
  count: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  last: Number.NaN,
  lastTsMs: Number.NEGATIVE_INFINITY,
} as const;

function foldReading(device: SeriesOfDevice, reading: Reading): void {
  foldValue(device, reading, 0, reading.a);
  foldValue(device, reading, 1, reading.b);
  foldValue(device, reading, 2, reading.c);
}

function figuresOf(value: number, tsMs: number, isBad: boolean): Figures {
  if (isBad) return { ...NO_GOOD_VALUE, bad: { count: 1, last: value, lastTsMs: tsMs } };
  return { sum: value, count: 1, min: value, max: value, last: value, lastTsMs: tsMs, bad: null };
}

function foldValue(
  device: SeriesOfDevice,
  { deviceNo, tsMs, group, badMask }: Reading,
  slot: Slot,
  value: number | null,
): void {
  if (value === null) return;
  const figures = figuresOf(value, tsMs, (badMask & (1 << slot)) !== 0);
  const startMs = startOf(tsMs, '5m');
  const laneNo = group * SLOTS_PER_GROUP + slot;
  const series = device.get(laneNo);
  const current = series?.at(-1);
  if (current?.startMs === startMs) {
    fold(current, figures);
    return;
  }
  const started: Growing = { deviceNo, group, slot, interval: '5m', startMs, ...figures };
  if (series === undefined) device.set(laneNo, [started]);
  else series.push(started);
}

function foldRollups(fine: readonly Rollup[], interval: Interval): Growing[] {
  const coarse: Growing[] = [];
  for (const rollup of fine) {
    const startMs = startOf(rollup.startMs, interval);
    const current = coarse.at(-1);
    if (current?.startMs === startMs && isSameSeries(current, rollup)) {
      fold(current, rollup);
    } else {
      coarse.push({ ...rollup, interval, startMs });
    }
  }
  return coarse;
}

type Figures = Pick<Rollup, 'sum' | 'count' | 'min' | 'max' | 'last' | 'lastTsMs' | 'bad'>;

function fold(into: Growing, more: Figures): void {
  into.sum += more.sum;
  into.count += more.count;
  into.min = Math.min(into.min, more.min);
  into.max = Math.max(into.max, more.max);
  if (more.lastTsMs > into.lastTsMs) {
    into.last = more.last;
    into.lastTsMs = more.lastTsMs;
  }
  if (more.bad !== null) into.bad = into.bad === null ? more.bad : sumOfBad(into.bad, more.bad);
}

function sumOfBad(a: BadFigures, b: BadFigures): BadFigures {
  const { last, lastTsMs } = b.lastTsMs > a.lastTsMs ? b : a;
  return { count: a.count + b.count, last, lastTsMs };
}
