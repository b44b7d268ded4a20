import { Refusal } from '@granary/contract/errors';
import type { HistoryQuality } from '@granary/contract/exports';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { Aggregate, ContentUnit } from '@granary/contract/telemetry/telemetry';
import { sensorsOf } from './sensors/declared-sensors.ts';
import type { Lane, Sensor } from './sensors/sensor.ts';
import { STANDARD_SENSORS } from './sensors/standard-sensors.ts';
import { aggregateOf, type Bucket, isCount } from './telemetry/history.ts';
import { roundTo6 } from './units.ts';

const LEVEL = 'level';

export interface ExportedDevice {
  readonly profile: ProfileName;
  readonly capacityKg: number | null;
  /** JSON with the sensors that were declared; `null` if there were none. */
  readonly sensorDocument: string | null;
}

/** A sensor under the name and in the unit in which its values are exported. */
export interface ExportedSensor {
  readonly name: string;
  readonly unit: string;
  readonly lane: Lane;
  readonly scale: number;
  /** The weight that is 100 percent; `null` for values that are not a share. */
  readonly wholeKg: number | null;
}

export interface SensorSelection {
  /** The names of the wanted sensors; `null` means all sensors. */
  readonly names: readonly string[] | null;
  /** The unit for the contents of a silo; `null` means percent for `level` and kg for `weight`. */
  readonly unit: ContentUnit | null;
}

const { weight: WEIGHT } = STANDARD_SENSORS;

/** If no names are given, the contents of a silo are called `weight` in kg and `level` in percent. */
export function exportedSensors(
  device: ExportedDevice,
  { names, unit }: SensorSelection,
): readonly ExportedSensor[] {
  const sensors = sensorsOf(device.profile, device.sensorDocument);
  const allNames = () =>
    sensors.map((sensor) => (sensor === WEIGHT && unit === 'percent' ? LEVEL : sensor.sensorId));
  return (names ?? allNames()).flatMap((name) => {
    const sensor = sensors.find(({ sensorId }) => sensorId === name);
    if (sensor !== undefined) return sensor === WEIGHT ? contents(name, device, unit ?? 'kg') : plain(sensor);
    const hasLevel = name === LEVEL && sensors.includes(WEIGHT);
    return hasLevel ? contents(LEVEL, device, unit ?? 'percent') : [];
  });
}

const plain = ({ sensorId, unit, lane, scale }: Sensor): ExportedSensor => ({
  name: sensorId,
  unit,
  lane,
  scale,
  wholeKg: null,
});

function contents(name: string, { capacityKg }: ExportedDevice, unit: ContentUnit): ExportedSensor {
  return { ...plain(WEIGHT), name, unit, wholeKg: unit === 'percent' ? capacityKg : null };
}

/** Refuses a name that no device has, because an empty file would look as if readings were missing. */
export function refuseUnknownNames(
  { names }: SensorSelection,
  exported: Iterable<readonly ExportedSensor[]>,
): void {
  if (names === null) return;
  const known = new Set<string>();
  for (const sensors of exported) for (const { name } of sensors) known.add(name);
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const message = `none of the devices has a sensor "${unknown}"`;
  throw new Refusal('invalid_input', 'the query is not valid', [{ path: '/sensor', message }]);
}

/** A stored value in the unit of the export; a value that is not a share keeps exactly the digits that were stored. */
export function exportedValue(stored: number, { scale, wholeKg }: ExportedSensor): number {
  const value = stored / scale;
  return wholeKg === null ? value : roundTo6((value / wholeKg) * 100);
}

/** The unit of an aggregate. */
export const exportedUnit = ({ unit }: ExportedSensor, aggregate: Aggregate): string =>
  isCount(aggregate) ? 'count' : unit;

/** The aggregate of a bucket in the unit of the export; `null` if all readings of the bucket are implausible. */
export function exportedAggregate(
  bucket: Bucket,
  aggregate: Aggregate,
  sensor: ExportedSensor,
): number | null {
  const stored = aggregateOf(bucket, aggregate);
  return stored === null || isCount(aggregate) ? stored : roundTo6(exportedValue(stored, sensor));
}

export function qualityOf({ count, badCount }: Bucket): HistoryQuality {
  if (badCount === 0) return 'good';
  return count === 0 ? 'bad' : 'uncertain';
}
