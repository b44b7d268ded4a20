import type { SensorStatus } from '@granary/contract/devices/statuses';
import type { CurrentReadings, DeclaredReadings, Quality } from '@granary/contract/telemetry/telemetry';
import { toIso } from '@granary/contract/time';
import { freshnessMs } from '../devices/status.ts';
import { type LatestValue, type LatestValues, latestOf, type Sensor } from '../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../sensors/standard-sensors.ts';
import { roundTo6 } from '../units.ts';
import { isBelievable } from './plausibility.ts';

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

/** How long a value of this sensor stays current. */
export const sensorFreshnessMs = (
  { reportingIntervalMs }: Sensor,
  device: Pick<Measuring, 'reportingIntervalMs'>,
): number => freshnessMs(reportingIntervalMs === null ? device : { reportingIntervalMs });

export function measure(
  sensor: Sensor,
  latest: LatestValue | undefined,
  device: Measuring,
  nowMs: number,
): Measured {
  if (latest === undefined) return NEVER;
  const value = latest.value / sensor.scale;
  const timestamp = toIso(latest.tsMs);
  if (!isBelievable(sensor, latest, device.capacityKg)) return { value, timestamp, quality: 'bad' };
  const isCurrent = nowMs - latest.tsMs <= sensorFreshnessMs(sensor, device);
  return { value, timestamp, quality: isCurrent ? 'good' : 'stale' };
}

export function currentReadings(
  latest: LatestValues,
  silo: Measuring & { readonly capacityKg: number },
  nowMs: number,
): CurrentReadings {
  const weight = measure(STANDARD_SENSORS.weight, latest.weight, silo, nowMs);
  const temperature = measure(STANDARD_SENSORS.temperature, latest.temperature, silo, nowMs);
  const humidity = measure(STANDARD_SENSORS.humidity, latest.humidity, silo, nowMs);
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

/** The part of an answer about declared sensors; without such sensors it is empty. */
export function declaredReadings(
  declared: readonly Sensor[],
  latest: LatestValues,
  device: Measuring,
  nowMs: number,
): { readonly sensors?: DeclaredReadings } {
  if (declared.length === 0) return {};
  const readings = declared.map((sensor) => {
    const { value: current, timestamp, quality } = measure(sensor, latestOf(latest, sensor), device, nowMs);
    return [sensor.sensorId, { current, unit: sensor.unit, timestamp, quality }] as const;
  });
  return { sensors: Object.fromEntries(readings) };
}

const STATUS_OF_QUALITY = { good: 'active', stale: 'stale', bad: 'fault' } as const satisfies Record<
  Quality,
  SensorStatus
>;

export const sensorStatus = (reading: { timestamp: string | null; quality: Quality }): SensorStatus =>
  reading.timestamp === null ? 'inactive' : STATUS_OF_QUALITY[reading.quality];
