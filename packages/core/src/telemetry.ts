import { CHANNELS, type ChannelName } from '@granary/contract/channels';
import type { SensorStatus } from '@granary/contract/devices';
import type { Fault } from '@granary/contract/schema';
import type { CurrentReadings, DeviceReading, Quality } from '@granary/contract/telemetry';
import { MINUTE_MS, parseTime, toIso } from '@granary/contract/time';
import { freshnessMs } from './devices.ts';

/** How far ahead of ours a device's clock may run before we stop believing it. */
export const CLOCK_AHEAD_MS_MAX = MINUTE_MS;
/** A day of readings every millisecond still sums up inside 64 bits, and a batch of 50,000 inside a double. */
const STORED_VALUE_MAX = 1e11;
/** A scale may show a little below empty and a little above full; beyond that it is broken. */
const WEIGHT_UNDER_EMPTY_MAX = 0.02;
const WEIGHT_OVER_FULL_MAX = 0.1;

export type StoredValues = { [C in ChannelName]?: number };

/** A reading as it is stored: milliseconds, and whole numbers of the channel's smallest unit. */
export interface Reading {
  readonly deviceNo: number;
  readonly tsMs: number;
  readonly values: StoredValues;
}

export interface ReadingWindow {
  readonly oldestMs: number;
  readonly newestMs: number;
}

/** Turns what a device sent into what is stored, or says what is wrong with it. */
export function acceptReading(deviceNo: number, sent: DeviceReading, window: ReadingWindow): Reading | Fault {
  const tsMs = typeof sent.ts === 'number' ? sent.ts : parseTime(sent.ts);
  if (tsMs === null) return { path: '/ts', message: 'is not a time' };
  if (!(tsMs <= window.newestMs)) return { path: '/ts', message: 'lies in the future' };
  if (tsMs < window.oldestMs) return { path: '/ts', message: 'is older than the readings kept here' };
  const values: StoredValues = {};
  for (const name in sent) {
    if (name === 'ts') continue;
    const channel = name as ChannelName;
    const stored = Math.round((sent[channel] as number) * CHANNELS[channel].scale);
    if (Math.abs(stored) > STORED_VALUE_MAX) return { path: `/${name}`, message: 'is out of any range' };
    values[channel] = stored;
  }
  return { deviceNo, tsMs, values };
}

export const isFault = (result: Reading | Fault): result is Fault => 'path' in result;

/** The newest stored value of a channel. */
export interface LatestValue {
  readonly value: number;
  readonly tsMs: number;
}

export type LatestValues = { readonly [C in ChannelName]?: LatestValue };

/** Six decimals: finer than any channel's resolution, and free of binary dust. */
export const tidy = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Of a device that has no capacity, no weight is out of bounds. */
export function isPlausible(
  channel: ChannelName,
  value: number,
  capacityKg = Number.POSITIVE_INFINITY,
): boolean {
  if (channel === 'weight') {
    return value >= -WEIGHT_UNDER_EMPTY_MAX * capacityKg && value <= (1 + WEIGHT_OVER_FULL_MAX) * capacityKg;
  }
  return value >= CHANNELS[channel].min && value <= CHANNELS[channel].max;
}

export interface Measured {
  readonly value: number | null;
  readonly timestamp: string | null;
  readonly quality: Quality;
}

/** A value never reported is of bad quality: nobody may take `null` for a measurement. */
const NEVER: Measured = { value: null, timestamp: null, quality: 'bad' };

/** What the quality of a device's values depends on beside the values. */
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
      current: weight.value === null ? null : tidy((weight.value / silo.capacityKg) * 100),
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
