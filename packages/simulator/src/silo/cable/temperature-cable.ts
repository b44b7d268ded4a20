import type { ThresholdRule } from '@granary/contract/configuration/shared-configuration';
import type { SensorDeclaration } from '@granary/contract/devices/sensors';
import type { Exposed } from '../../physics/climate.ts';
import { jitter } from '../../physics/random.ts';
import { round } from '../../physics/resolution.ts';
import type { SiloBody } from '../silo-body.ts';
import { grainTemperatureC } from './grain-temperature.ts';

const POINTS = 12;
const PRECISION = 1;
const NOISE_C = 0.1;

/** The points of a cable that hangs from the roof to the floor; point 1 is the lowest. */
export const CABLE_SENSORS: readonly SensorDeclaration[] = Array.from({ length: POINTS }, (_, index) => ({
  sensor_id: `temp_${index + 1}`,
  type: 'temperature',
  unit: 'celsius',
  precision: PRECISION,
  min: -40,
  max: 80,
}));

/** Grain that heats up spoils, and can catch fire. */
export const CABLE_RULES: readonly ThresholdRule[] = CABLE_SENSORS.flatMap(({ sensor_id }, index) => {
  const rule = { sensor_id, dead_band: 1, message: `The grain heats up at point ${index + 1}` };
  return [
    { ...rule, above: 30, severity: 'warning' },
    { ...rule, above: 38, severity: 'critical', on_delay_s: 60 },
  ];
});

/** The temperatures of all points by sensor id. */
export function measureCable(
  silo: Exposed & { readonly capacityKg: number },
  { timeMs, weightKg }: SiloBody,
): Readonly<Record<string, number>> {
  const level = weightKg / silo.capacityKg;
  const measured = CABLE_SENSORS.map(({ sensor_id }, index) => {
    const grainC = grainTemperatureC(silo, (index + 0.5) / POINTS, level, timeMs);
    const noiseC = NOISE_C * jitter(`${silo.id} ${sensor_id}`, timeMs);
    return [sensor_id, round(grainC + noiseC, 10 ** -PRECISION)] as const;
  });
  return Object.fromEntries(measured);
}
