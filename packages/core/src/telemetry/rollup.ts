import { CHANNEL_NAMES, type ChannelName } from '@granary/contract/telemetry/channels';
import type { Interval } from '@granary/contract/telemetry/telemetry';
import { INTERVAL_MS } from '@granary/contract/telemetry/telemetry';
import type { LatestValue, Reading, StoredValues } from './readings.ts';

/** The implausible values of one channel in one time window. */
export interface BadFigures {
  readonly count: number;
  readonly last: number;
  readonly lastTsMs: number;
}

/**
 * The figures of readings of one channel in one time window. Two roll-ups of the same window can be added. While `count` is
 * 0, only `bad` has values.
 */
export interface Rollup {
  readonly deviceNo: number;
  readonly channel: ChannelName;
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

export interface NewestValue extends LatestValue {
  readonly deviceNo: number;
  readonly channel: ChannelName;
}

type Growing = { -readonly [K in keyof Rollup]: Rollup[K] };

/** One reading per device and time, ordered by time; of two values for the same channel the first to arrive is kept. */
export function distinctReadings(readings: readonly Reading[]): Reading[] {
  const distinct: Reading[] = [];
  let previous: Reading | undefined;
  for (const reading of readings.toSorted(byTimeThenDevice)) {
    if (previous?.tsMs === reading.tsMs && previous.deviceNo === reading.deviceNo) {
      previous = merged(previous, reading);
      distinct[distinct.length - 1] = previous;
    } else {
      previous = reading;
      distinct.push(reading);
    }
  }
  return distinct;
}

const byTimeThenDevice = (a: Reading, b: Reading): number => a.tsMs - b.tsMs || a.deviceNo - b.deviceNo;

function merged(first: Reading, later: Reading): Reading {
  const missing = missingPart({ ...first.values, ...first.badValues }, later);
  if (missing === undefined) return first;
  const { deviceNo, tsMs } = first;
  const values = { ...missing.values, ...first.values };
  if (first.badValues === undefined && missing.badValues === undefined) return { deviceNo, tsMs, values };
  return { deviceNo, tsMs, values, badValues: { ...missing.badValues, ...first.badValues } };
}

/** The part of a repeated reading that the stored one, good and bad values together, did not have. */
export function missingPart(stored: StoredValues, sent: Reading): Reading | undefined {
  const { deviceNo, tsMs } = sent;
  const values = missingValues(stored, sent.values);
  const badValues = sent.badValues && missingValues(stored, sent.badValues);
  if (badValues !== undefined) return { deviceNo, tsMs, values: values ?? {}, badValues };
  return values && { deviceNo, tsMs, values };
}

function missingValues(stored: StoredValues, sent: StoredValues): StoredValues | undefined {
  let missing: StoredValues | undefined;
  for (const channel of CHANNEL_NAMES) {
    const value = sent[channel];
    if (value === undefined || stored[channel] !== undefined) continue;
    missing ??= {};
    missing[channel] = value;
  }
  return missing;
}

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

/** Groups consecutive roll-ups of the same channel of the same device. */
export function seriesOf(rollups: readonly Rollup[]): [Rollup, ...Rollup[]][] {
  const runs: [Rollup, ...Rollup[]][] = [];
  for (const rollup of rollups) {
    const run = runs.at(-1);
    if (run?.[0].deviceNo === rollup.deviceNo && run[0].channel === rollup.channel) run.push(rollup);
    else runs.push([rollup]);
  }
  return runs;
}

/** The open bucket of a channel: the five minutes with its latest value, good or bad. */
export type OpenBucket = Figures;

/**
 * Adds roll-ups of five minutes, ordered by time, to the open bucket of their channel. Late roll-ups, and buckets before a
 * later one, are closed.
 */
export function rollOver(
  stored: OpenBucket | undefined,
  series: readonly [Rollup, ...Rollup[]],
): { open: OpenBucket; closed: Rollup[] } {
  const [{ deviceNo, channel, interval }] = series;
  const closed: Rollup[] = [];
  let open: Growing | undefined = stored && {
    ...{ deviceNo, channel, interval, startMs: startOf(newestTsMs(stored), '5m') },
    ...stored,
  };
  for (const rollup of series) {
    if (open === undefined) open = { ...rollup };
    else if (rollup.startMs < open.startMs) closed.push(rollup);
    else if (rollup.startMs === open.startMs) fold(open, rollup);
    else {
      closed.push(open);
      open = { ...rollup };
    }
  }
  return { open: open ?? series[0], closed };
}

const newestTsMs = ({ lastTsMs, bad }: Figures): number =>
  bad === null ? lastTsMs : Math.max(lastTsMs, bad.lastTsMs);

/** The latest value, good or bad, of each channel of each device in the roll-ups. */
export function newestValues(rollups: readonly Rollup[]): NewestValue[] {
  const newest: NewestValue[] = [];
  let previous: Rollup | undefined;
  for (const rollup of rollups) {
    if (rollup.interval !== '5m') continue;
    if (previous?.deviceNo === rollup.deviceNo && previous.channel === rollup.channel) newest.pop();
    const { deviceNo, channel, last, lastTsMs, bad } = rollup;
    const isBad = bad !== null && bad.lastTsMs > lastTsMs;
    newest.push({ deviceNo, channel, value: isBad ? bad.last : last, tsMs: isBad ? bad.lastTsMs : lastTsMs });
    previous = rollup;
  }
  return newest;
}

const startOf = (timeMs: number, interval: Interval): number =>
  Math.floor(timeMs / INTERVAL_MS[interval]) * INTERVAL_MS[interval];

type SeriesOfDevice = Map<ChannelName, Growing[]>;

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
  const { tsMs, values, badValues } = reading;
  for (const channel of CHANNEL_NAMES) {
    const value = values[channel];
    if (value === undefined) continue;
    const figures = { sum: value, count: 1, min: value, max: value, last: value, lastTsMs: tsMs, bad: null };
    foldValue(device, reading, channel, figures);
  }
  if (badValues === undefined) return;
  for (const channel of CHANNEL_NAMES) {
    const value = badValues[channel];
    if (value === undefined) continue;
    foldValue(device, reading, channel, { ...NO_GOOD_VALUE, bad: { count: 1, last: value, lastTsMs: tsMs } });
  }
}

function foldValue(
  device: SeriesOfDevice,
  { deviceNo, tsMs }: Reading,
  channel: ChannelName,
  figures: Figures,
): void {
  const startMs = startOf(tsMs, '5m');
  const series = device.get(channel);
  const current = series?.at(-1);
  if (current?.startMs === startMs) {
    fold(current, figures);
    return;
  }
  const started: Growing = { deviceNo, channel, interval: '5m', startMs, ...figures };
  if (series === undefined) device.set(channel, [started]);
  else series.push(started);
}

function foldRollups(fine: readonly Rollup[], interval: Interval): Growing[] {
  const coarse: Growing[] = [];
  for (const rollup of fine) {
    const { deviceNo, channel } = rollup;
    const startMs = startOf(rollup.startMs, interval);
    const current = coarse.at(-1);
    if (current?.startMs === startMs && current.channel === channel && current.deviceNo === deviceNo) {
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
