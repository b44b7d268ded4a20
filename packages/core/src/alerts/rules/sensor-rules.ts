import { CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import { SECOND_MS, toIso } from '@granary/contract/time';
import { deviceStatus, freshnessMs, type Presence } from '../../devices/status.ts';
import {
  isPlausible,
  type LatestValue,
  type LatestValues,
  plausibleRange,
} from '../../telemetry/readings.ts';
import type { Condition } from '../lifecycle.ts';
import type { Observed } from '../observation.ts';

export interface SensorFacts {
  readonly presence: Presence;
  readonly latest: LatestValues;
  readonly capacityKg?: number;
}

/** The minimum time between two updates of how long a sensor has been silent. */
const AGE_STEP_S = 60;

export const isFresh = ({ tsMs }: LatestValue, presence: Presence, nowMs: number): boolean =>
  nowMs - tsMs <= freshnessMs(presence);

export const isBelievable = (channel: ChannelName, { value }: LatestValue, capacityKg?: number): boolean =>
  isPlausible(channel, value / CHANNELS[channel].scale, capacityKg);

interface SensorValue {
  readonly channel: ChannelName;
  readonly newest: LatestValue;
}

/** Sensors that never reported are left out. */
const reported = (latest: LatestValues, channels: readonly ChannelName[]): SensorValue[] =>
  channels.flatMap((channel) => {
    const newest = latest[channel];
    return newest === undefined ? [] : [{ channel, newest }];
  });

const causeOf = (values: readonly SensorValue[]): string => values.map(({ channel }) => channel).join(',');

/** The time from which a sensor counts as silent; times when the service was down or the device offline do not count. */
export const staleFromMs = (
  { tsMs }: LatestValue,
  presence: Presence,
  { observedSinceMs, onlineSinceMs }: Observed,
): number => Math.max(tsMs, observedSinceMs, onlineSinceMs) + freshnessMs(presence) + 1;

/** An offline device has no fresh values, and in maintenance sensors may be off; neither means that a sensor is broken. */
export function sensorStale(
  { presence, latest, ...observed }: SensorFacts & Observed,
  channels: readonly ChannelName[],
  nowMs: number,
): Condition {
  const type = 'sensor_stale';
  if (deviceStatus(presence, nowMs) !== 'online') return { type, state: 'indeterminate' };
  const old = reported(latest, channels).filter(({ newest }) => !isFresh(newest, presence, nowMs));
  const [oldest, ...others] = old
    .filter(({ newest }) => nowMs >= staleFromMs(newest, presence, observed))
    .toSorted((a, b) => a.newest.tsMs - b.newest.tsMs);
  if (oldest === undefined) return { type, state: old.length === 0 ? 'absent' : 'indeterminate' };
  const silent = [oldest, ...others];
  const texts = silent.map(({ channel, newest }) => `no ${channel} since ${toIso(newest.tsMs)}`);
  const age = { sinceMs: oldest.newest.tsMs, unitMs: SECOND_MS };
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue: Math.floor((nowMs - age.sinceMs) / age.unitMs),
    threshold: freshnessMs(presence) / SECOND_MS,
    cause: causeOf(silent),
    message: `${texts.join(', ')} although the device is online`,
    valueStep: AGE_STEP_S,
    age,
  };
}

/** The latest value is implausible; an old one says nothing about the present. */
export function sensorFault(
  { presence, latest, capacityKg }: SensorFacts,
  channels: readonly ChannelName[],
  nowMs: number,
): Condition {
  const type = 'sensor_fault';
  if (deviceStatus(presence, nowMs) !== 'online') return { type, state: 'indeterminate' };
  const wrong = reported(latest, channels).filter(
    ({ channel, newest }) => !isBelievable(channel, newest, capacityKg),
  );
  const current = wrong.filter(({ newest }) => isFresh(newest, presence, nowMs));
  const [first] = current;
  if (first === undefined) return { type, state: wrong.length === 0 ? 'absent' : 'indeterminate' };
  const { value, bound } = describeFault(first, capacityKg);
  return {
    type,
    state: 'present',
    severity: 'warning',
    currentValue: value,
    threshold: bound,
    cause: causeOf(current),
    message: current.map((one) => describeFault(one, capacityKg).text).join('; '),
  };
}

function describeFault({ channel, newest }: SensorValue, capacityKg?: number) {
  const { unit, scale } = CHANNELS[channel];
  const value = newest.value / scale;
  const { min, max } = plausibleRange(channel, capacityKg);
  const text = `${channel} ${value} ${unit} cannot be true: it is outside ${min} to ${max} ${unit}`;
  return { value, bound: value < min ? min : max, text };
}
