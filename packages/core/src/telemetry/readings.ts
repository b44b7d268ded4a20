import type { SensorStatus } from '@granary/contract/devices/statuses';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import type { CurrentReadings, DeviceReading, Quality } from '@granary/contract/telemetry/telemetry';
import { DAY_MS, MINUTE_MS, parseTime, SECOND_MS, toIso } from '@granary/contract/time';
import { freshnessMs } from '../devices/status.ts';

/** A device clock may be ahead of the service's by this much; readings with a later time are rejected. */
export const CLOCK_AHEAD_MS_MAX = MINUTE_MS;
/** The largest whole number that both databases and JavaScript represent exactly; larger values cannot be stored. */
const STORED_VALUE_MAX = Number.MAX_SAFE_INTEGER;
/** A working scale may show slightly less than empty and slightly more than full. */
const WEIGHT_UNDER_EMPTY_MAX = 0.02;
const WEIGHT_OVER_FULL_MAX = 0.1;

export type StoredValues = { [C in ChannelName]?: number };

/** A reading in its stored form: milliseconds, and whole numbers of the smallest unit of each channel. */
export interface Reading {
  readonly deviceNo: number;
  readonly tsMs: number;
  /** The plausible values. */
  readonly values: StoredValues;
  /** The implausible values, of other channels than `values`. Absent when there are none, so usual readings stay small. */
  readonly badValues?: StoredValues;
}

/** The facts about a device that are needed to check its readings. */
export interface ReadingSource {
  readonly deviceNo: number;
  readonly capacityKg?: number | null;
}

export interface ReadingWindow {
  readonly oldestMs: number;
  readonly newestMs: number;
}

/** Converts a reading of a message into its stored form, or returns what is wrong with it. */
export function acceptReading(
  { deviceNo, capacityKg }: ReadingSource,
  sent: DeviceReading,
  window: ReadingWindow,
): Reading | ValidationIssue {
  const tsMs = typeof sent.ts === 'number' ? sent.ts : parseTime(sent.ts);
  if (tsMs === null) return { path: '/ts', message: 'is not a time' };
  if (!(tsMs <= window.newestMs && tsMs >= window.oldestMs)) {
    return { path: '/ts', message: timeFault(sent.ts, tsMs, window) };
  }
  const values: StoredValues = {};
  let badValues: StoredValues | undefined;
  for (const name in sent) {
    if (name === 'ts') continue;
    const channel = name as ChannelName;
    const { scale } = CHANNELS[channel];
    const stored = Math.round((sent[channel] as number) * scale);
    if (isPlausible(channel, stored / scale, capacityKg ?? undefined)) {
      values[channel] = stored;
      continue;
    }
    if (!(Math.abs(stored) <= STORED_VALUE_MAX)) return { path: `/${name}`, message: 'is out of any range' };
    badValues ??= {};
    badValues[channel] = stored;
  }
  return badValues === undefined ? { deviceNo, tsMs, values } : { deviceNo, tsMs, values, badValues };
}

const OTHER_UNITS = [
  { name: 'seconds', perSecond: 1 },
  { name: 'microseconds', perSecond: 1e6 },
  { name: 'nanoseconds', perSecond: 1e9 },
] as const;
/** No device of this kind measured before the year 2000. */
const EARLIEST_CLOCK_MS = Date.UTC(2000, 0, 1);

/** The usual mistake is another unit, so the message names it for the developer of the device. */
function timeFault(sent: string | number, tsMs: number, { newestMs }: ReadingWindow): string {
  if (typeof sent === 'number') {
    const meant = OTHER_UNITS.find(({ perSecond }) => {
      const timeMs = (sent / perSecond) * SECOND_MS;
      return timeMs >= EARLIEST_CLOCK_MS && timeMs <= newestMs + DAY_MS;
    });
    if (meant !== undefined) return `looks like ${meant.name}; send milliseconds or ISO 8601`;
  }
  return tsMs > newestMs ? 'lies in the future' : 'is older than the readings kept here';
}

export const isFault = (result: Reading | ValidationIssue): result is ValidationIssue => 'path' in result;

/** The latest stored value of a channel. */
export interface LatestValue {
  readonly value: number;
  readonly tsMs: number;
}

export type LatestValues = { readonly [C in ChannelName]?: LatestValue };

/** Six decimals are finer than the resolution of any channel, and remove binary rounding errors. */
export const roundTo6 = (value: number): number => Math.round(value * 1e6) / 1e6;

/**
 * Whether a working sensor could have measured this. The limit of the weight applies to every capacity, because sums of
 * plausible values over five minutes must stay exact in a double, and those over a day must fit 64 bits.
 */
export function isPlausible(
  channel: ChannelName,
  value: number,
  capacityKg: number = CHANNELS.weight.max,
): boolean {
  if (channel === 'weight') {
    const fullKg = Math.min(capacityKg, CHANNELS.weight.max);
    return value >= -WEIGHT_UNDER_EMPTY_MAX * fullKg && value <= (1 + WEIGHT_OVER_FULL_MAX) * fullKg;
  }
  return value >= CHANNELS[channel].min && value <= CHANNELS[channel].max;
}

export function plausibleRange(channel: ChannelName, capacityKg = Number.POSITIVE_INFINITY): ValueRange {
  if (channel !== 'weight') return CHANNELS[channel];
  return {
    min: roundTo6(-WEIGHT_UNDER_EMPTY_MAX * capacityKg),
    max: roundTo6((1 + WEIGHT_OVER_FULL_MAX) * capacityKg),
  };
}

interface ValueRange {
  readonly min: number;
  readonly max: number;
}

export interface Measured {
  readonly value: number | null;
  readonly timestamp: string | null;
  readonly quality: Quality;
}

/** A value that was never reported has quality `bad`, so that `null` is not taken for a measurement. */
const NEVER: Measured = { value: null, timestamp: null, quality: 'bad' };

/** The facts about a device that determine the quality of its values. */
export interface Measuring {
  readonly reportingIntervalMs: number;
  readonly capacityKg?: number;
}

export function measure(
  channel: ChannelName,
  latest: LatestValue | undefined,
  device: Measuring,
  nowMs: number,
): Measured {
  if (latest === undefined) return NEVER;
  const value = latest.value / CHANNELS[channel].scale;
  const timestamp = toIso(latest.tsMs);
  if (!isPlausible(channel, value, device.capacityKg)) return { value, timestamp, quality: 'bad' };
  return { value, timestamp, quality: nowMs - latest.tsMs <= freshnessMs(device) ? 'good' : 'stale' };
}

export function currentReadings(
  latest: LatestValues,
  silo: Measuring & { readonly capacityKg: number },
  nowMs: number,
): CurrentReadings {
  const weight = measure('weight', latest.weight, silo, nowMs);
  const temperature = measure('temperature', latest.temperature, silo, nowMs);
  const humidity = measure('humidity', latest.humidity, silo, nowMs);
  return {
    level: {
      current: weight.value === null ? null : roundTo6((weight.value / silo.capacityKg) * 100),
      unit: 'percent',
      actual: weight.value,
      actual_unit: 'kg',
      timestamp: weight.timestamp,
      quality: weight.quality,
    },
    temperature: {
      current: temperature.value,
      unit: 'celsius',
      timestamp: temperature.timestamp,
      quality: temperature.quality,
    },
    humidity: {
      current: humidity.value,
      unit: 'percent',
      timestamp: humidity.timestamp,
      quality: humidity.quality,
    },
  };
}

const STATUS_OF_QUALITY = { good: 'active', stale: 'stale', bad: 'fault' } as const satisfies Record<
  Quality,
  SensorStatus
>;

export const sensorStatus = (reading: { timestamp: string | null; quality: Quality }): SensorStatus =>
  reading.timestamp === null ? 'inactive' : STATUS_OF_QUALITY[reading.quality];
