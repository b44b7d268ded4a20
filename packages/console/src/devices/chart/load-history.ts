import type { Client } from '@granary/client';
import type { FleetDevice } from '@granary/contract/fleet/devices';
import { type Aggregate, INTERVAL_MS, type Interval } from '@granary/contract/telemetry/telemetry';
import type { ShownSensor } from '../sensors.ts';
import { intervalsFor, type TimeRange } from './range.ts';
import { type Bucket, bucketsOf } from './series.ts';

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
    const buckets = await readBuckets(client, device, sensor, range, interval, signal);
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
  const points = async (aggregate: Aggregate) =>
    (await readings.history(device_id, { ...historyQuery(sensor, range, interval), aggregate }, { signal }))
      .points;
  const [means, minima, maxima] = await Promise.all([points('avg'), points('min'), points('max')]);
  return bucketsOf({ means, minima, maxima }, INTERVAL_MS[interval]);
}

/** The weight of a silo is its level in kilograms. The bucket that the range begins in is part of it. */
export function historyQuery(
  { id }: Pick<ShownSensor, 'id'>,
  { fromMs, toMs }: TimeRange,
  interval: Interval,
) {
  const step = INTERVAL_MS[interval];
  return {
    ...(id === 'weight' ? ({ sensor: 'level', unit: 'kg' } as const) : { sensor: id }),
    from: new Date(Math.floor(fromMs / step) * step).toISOString(),
    to: new Date(toMs).toISOString(),
    interval,
  };
}
