import { DEFAULT_PRECISION, type SensorDeclaration } from '@granary/contract/devices/sensors';
import { CHANNELS } from '@granary/contract/telemetry/channels';
import type { Mapping } from '../mapping/mapping.ts';

/** What a device of this mapping measures beside the standard sensors of its profile. */
export function declarationsOf({ points }: Mapping): SensorDeclaration[] {
  return points.flatMap(({ sensor, kind, decimals, rules }) => {
    if (sensor === null || Object.hasOwn(CHANNELS, sensor)) return [];
    const { range, unit, convert } = rules;
    const shown = convert ?? unit;
    return [
      {
        sensor_id: sensor,
        type: kind ?? 'value',
        unit: shown === '' ? 'value' : shown,
        precision: decimals ?? DEFAULT_PRECISION,
        ...(range === null ? {} : { min: range[0], max: range[1] }),
      },
    ];
  });
}
