import type { DeclaredSensorSummary, SensorDeclaration } from '@granary/contract/devices/sensors';

/** A declared sensor as it was typed; what is empty is not given. */
export interface SensorDraft {
  readonly sensor_id: string;
  readonly type: string;
  readonly unit: string;
  readonly precision: string;
  readonly min: string;
  readonly max: string;
  readonly reporting_interval_s: string;
}

export const EMPTY_SENSOR: SensorDraft = {
  sensor_id: '',
  type: '',
  unit: '',
  precision: '',
  min: '',
  max: '',
  reporting_interval_s: '',
};

export const draftOfSensor = (sensor: DeclaredSensorSummary): SensorDraft => ({
  sensor_id: sensor.sensor_id,
  type: sensor.type,
  unit: sensor.unit,
  precision: String(sensor.precision),
  min: String(sensor.min),
  max: String(sensor.max),
  reporting_interval_s: sensor.reporting_interval_s === null ? '' : String(sensor.reporting_interval_s),
});

export function sensorOf(draft: SensorDraft): SensorDeclaration {
  const numbers = ['precision', 'min', 'max', 'reporting_interval_s'] as const;
  const given = numbers.filter((field) => draft[field].trim() !== '');
  return {
    sensor_id: draft.sensor_id.trim(),
    type: draft.type.trim(),
    unit: draft.unit.trim(),
    ...Object.fromEntries(given.map((field) => [field, Number(draft[field])])),
  };
}
