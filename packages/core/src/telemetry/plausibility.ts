import { CHANNELS } from '@granary/contract/telemetry/channels';
import type { LatestValue, Sensor } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { roundTo6 } from '../units.ts';

/** A working scale may show slightly less than empty and slightly more than full. */
const WEIGHT_UNDER_EMPTY_MAX = 0.02;
const WEIGHT_OVER_FULL_MAX = 0.1;

const isWeight = ({ lane }: Sensor): boolean => lane === STANDARD_SENSORS.weight.lane;

/**
 * Whether a working sensor could have measured this. The limit of the weight applies to every capacity, because sums of
 * plausible values over five minutes must stay exact in a double, and those over a day must fit 64 bits.
 */
export function isPlausible(
  sensor: Sensor,
  value: number,
  capacityKg: number = CHANNELS.weight.max,
): boolean {
  if (isWeight(sensor)) {
    const fullKg = Math.min(capacityKg, CHANNELS.weight.max);
    return value >= -WEIGHT_UNDER_EMPTY_MAX * fullKg && value <= (1 + WEIGHT_OVER_FULL_MAX) * fullKg;
  }
  return value >= sensor.min && value <= sensor.max;
}

/** Whether a stored value can be used: it was not stored as bad, and it is plausible now. */
export const isBelievable = (sensor: Sensor, { value, isBad }: LatestValue, capacityKg?: number): boolean =>
  isBad !== true && isPlausible(sensor, value / sensor.scale, capacityKg);

export function plausibleRange(sensor: Sensor, capacityKg = Number.POSITIVE_INFINITY): PlausibleRange {
  if (!isWeight(sensor)) return sensor;
  return {
    min: roundTo6(-WEIGHT_UNDER_EMPTY_MAX * capacityKg),
    max: roundTo6((1 + WEIGHT_OVER_FULL_MAX) * capacityKg),
  };
}

export interface PlausibleRange {
  readonly min: number;
  readonly max: number;
}
