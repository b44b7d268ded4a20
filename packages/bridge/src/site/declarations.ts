import { DEFAULT_PRECISION, type SensorDeclaration } from '@granary/contract/devices/sensors';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import { SECOND_MS } from '@granary/contract/time';
import type { Mapping } from '../mapping/mapping.ts';

/** The interval in which devices report unless they are configured otherwise. */
export const REPORTING_INTERVAL_DEFAULT_MS = 10 * SECOND_MS;

/** Returns the sensors that a device with this mapping has in addition to the standard sensors of its profile. */
export function declarationsOf({ points }: Mapping): SensorDeclaration[] {
  const shortestMs = points.reduce(
    (least, { sensor, everyMs }) => (sensor === null ? least : Math.min(least, everyMs)),
    Number.POSITIVE_INFINITY,
  );
  const usualMs = Math.max(shortestMs, REPORTING_INTERVAL_DEFAULT_MS);
  return points.flatMap(({ sensor, kind, decimals, everyMs, rules }) => {
    if (sensor === null || Object.hasOwn(CHANNELS, sensor)) return [];
    const { range, unit, convert } = rules;
    const shown = convert ?? unit;
    return [
      {
        sensor_id: sensor,
        type: kind ?? 'value',
        unit: shown === '' ? 'value' : shown,
        precision: decimals ?? DEFAULT_PRECISION,
        ...(everyMs > usualMs ? { reporting_interval_s: everyMs / SECOND_MS } : {}),
        ...(range === null ? {} : { min: range[0], max: range[1] }),
      },
    ];
  });
}
