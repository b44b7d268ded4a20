import type { Sensor } from '../../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../../sensors/standard-sensors.ts';
import { plausibleRange } from '../../telemetry/plausibility.ts';
import { roundTo6 } from '../../units.ts';

/** A sensor that threshold rules can refer to, with its range of plausible values on this device. */
export interface RuleSensor extends Sensor {
  /** The sensor whose values are judged; for the level of a silo, its weight. */
  readonly measuredBy: Sensor;
}

/** The sensors of a device, and for a silo also its level: its weight in percent of the capacity. */
export function ruleSensors(sensors: readonly Sensor[], capacityKg?: number): RuleSensor[] {
  return sensors.flatMap((sensor) => {
    const { min, max } = plausibleRange(sensor, capacityKg);
    const own: RuleSensor = { ...sensor, min, max, measuredBy: sensor };
    if (sensor !== STANDARD_SENSORS.weight || capacityKg === undefined) return [own];
    const percentPerKg = 100 / capacityKg;
    const level: RuleSensor = {
      ...own,
      sensorId: 'level',
      type: 'level',
      unit: 'percent',
      scale: own.scale / percentPerKg,
      min: roundTo6(min * percentPerKg),
      max: roundTo6(max * percentPerKg),
    };
    return [own, level];
  });
}
