import {
  DEFAULT_PRECISION,
  type DeclaredSensorSummary,
  type SensorPosition,
} from '@granary/contract/devices/sensors';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { SECOND_MS } from '@granary/contract/time';
import { documentKind } from '../documents.ts';
import type { Lane, Sensor } from './sensor.ts';
import { standardSensorsOf } from './standard-sensors.ts';

/**
 * The largest stored value of a declared sensor: a whole number. Five minutes of such values, one per millisecond, can be
 * added exactly in floating point.
 */
const DECLARED_VALUE_MAX = 1e10;

/** A sensor as it was declared, with every default filled in. */
export interface DeclaredSensor {
  readonly sensorId: string;
  readonly type: string;
  readonly unit: string;
  readonly precision: number;
  readonly min: number;
  readonly max: number;
  readonly reportingIntervalS: number | null;
  /** The place of a sensor on a temperature cable. */
  readonly position?: SensorPosition;
  readonly lane: Lane;
  /** A removed sensor keeps its lane, so that its history never becomes that of another one. */
  readonly isRemoved: boolean;
}

/** All sensors that were ever declared for a device. */
export interface DeclaredSensors {
  readonly sensors: readonly DeclaredSensor[];
}

/** The stored form of the declared sensors of a device. */
export const SENSORS_DOCUMENT = documentKind<DeclaredSensors>([], (content) => {
  const { sensors } = content;
  if (!Array.isArray(sensors) || !sensors.every(isStored)) throw new Error('no list of sensors with lanes');
});

function isStored(sensor: Partial<DeclaredSensor> | null): sensor is DeclaredSensor {
  const { sensorId, lane } = sensor ?? {};
  return typeof sensorId === 'string' && Number.isInteger(lane?.group) && Number.isInteger(lane?.slot);
}

export const NO_SENSORS: DeclaredSensors = { sensors: [] };

/** `stored` is `null` for a device for which none was ever declared. */
export const declaredSensors = (stored: string | null): DeclaredSensors =>
  stored === null ? NO_SENSORS : SENSORS_DOCUMENT.read(stored);

export const isInUse = ({ isRemoved }: DeclaredSensor): boolean => !isRemoved;

/** The values that can be stored exactly with this precision are at most this far from 0. */
export const largestValue = (precision = DEFAULT_PRECISION): number =>
  DECLARED_VALUE_MAX / scaleOf(precision);

export const scaleOf = (precision: number): number => 10 ** precision;

const asSensor = ({ precision, reportingIntervalS, ...declared }: DeclaredSensor): Sensor => ({
  sensorId: declared.sensorId,
  type: declared.type,
  unit: declared.unit,
  scale: scaleOf(precision),
  min: declared.min,
  max: declared.max,
  lane: declared.lane,
  reportingIntervalMs: reportingIntervalS === null ? null : Math.max(1, reportingIntervalS * SECOND_MS),
});

/** The declared sensors of a device that are in use. */
export const sensorsInUse = (stored: string | null): readonly Sensor[] =>
  stored === null ? [] : declaredSensors(stored).sensors.filter(isInUse).map(asSensor);

/** Every sensor of a device: those of its profile, then the declared ones. */
export function sensorsOf(profile: ProfileName, stored: string | null): readonly Sensor[] {
  const standard = standardSensorsOf(profile);
  return stored === null ? standard : [...standard, ...sensorsInUse(stored)];
}

export const asDeclaration = (sensor: DeclaredSensor): Omit<DeclaredSensorSummary, 'status'> => ({
  type: sensor.type,
  sensor_id: sensor.sensorId,
  unit: sensor.unit,
  precision: sensor.precision,
  min: sensor.min,
  max: sensor.max,
  reporting_interval_s: sensor.reportingIntervalS,
  ...(sensor.position === undefined ? {} : { position: sensor.position }),
});
