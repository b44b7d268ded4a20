import type { Labels } from '@granary/contract/devices/labels';
import type { FleetDevice, FleetReading, FleetReadings } from '@granary/contract/fleet';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import type { Presence } from '../devices/status.ts';
import { sensorsOf } from '../sensors/declared-sensors.ts';
import { type GroupValues, latestOf, latestValues, type Sensor } from '../sensors/sensor.ts';
import { STANDARD_SENSORS, standardSensorsOf } from '../sensors/standard-sensors.ts';
import { measure } from '../telemetry/current-readings.ts';
import { roundTo6 } from '../units.ts';
import { deviceSummary } from './record.ts';

interface ListedDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly model: string;
  readonly profile: ProfileName;
  readonly facility: string;
  readonly zone: string;
  readonly capacityKg: number | null;
  readonly sensorDocument: string | null;
  readonly labels: Labels;
  readonly presence: Presence;
  readonly removedAtMs: number | null;
}

/** `stored` is `null` if the readings were not asked for. */
export function fleetDevice(
  device: ListedDevice,
  stored: readonly GroupValues[] | null,
  nowMs: number,
): FleetDevice {
  const summary = { ...deviceSummary(device, nowMs), group: PROFILES[device.profile].group };
  return stored === null ? summary : { ...summary, readings: readingsOf(device, stored, nowMs) };
}

/** The newest values of the sensors that have reported. */
function readingsOf(
  { profile, sensorDocument, capacityKg, presence }: ListedDevice,
  stored: readonly GroupValues[],
  nowMs: number,
): FleetReadings {
  const sensors = readableSensors(profile, sensorDocument);
  const latest = latestValues(sensors, stored);
  const device = { ...presence, ...(capacityKg === null ? {} : { capacityKg }) };
  const readings: [name: string, reading: FleetReading][] = [];
  for (const sensor of sensors) {
    const { value, timestamp, quality } = measure(sensor, latestOf(latest, sensor), device, nowMs);
    if (value === null || timestamp === null) continue;
    readings.push([sensor.sensorId, { value, unit: sensor.unit, timestamp, quality }]);
    if (sensor === STANDARD_SENSORS.weight && capacityKg !== null) {
      const level = roundTo6((value / capacityKg) * 100);
      readings.push(['level', { value: level, unit: 'percent', timestamp, quality }]);
    }
  }
  return Object.fromEntries(readings);
}

/** Damaged declarations of one device must not prevent the list of all others. */
function readableSensors(profile: ProfileName, sensorDocument: string | null): readonly Sensor[] {
  try {
    return sensorsOf(profile, sensorDocument);
  } catch {
    return standardSensorsOf(profile);
  }
}

const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The texts to search for. A database changes only A to Z to lower case, so other letters are searched for in lower case and
 * in upper case.
 */
export const searchTexts = (wanted: string): readonly string[] => [
  ...new Set([wanted, wanted.toLowerCase(), wanted.toUpperCase()].map(asciiLowerCase)),
];
