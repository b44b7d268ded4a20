import type { DeviceSummary, FieldDetail, Rejections, SiloDetail } from '@granary/contract/devices/devices';
import type { Labels } from '@granary/contract/devices/labels';
import type { DeclaredSensorSummary } from '@granary/contract/devices/sensors';
import { SENSOR_TYPES } from '@granary/contract/devices/statuses';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { emergencyStopSummary } from '../commands/emergency-stop.ts';
import type { CommandState } from '../commands/state.ts';
import { maintenanceRecord } from '../devices/maintenance.ts';
import { deviceStatus, type Presence } from '../devices/status.ts';
import { hasCapability } from '../profiles/profile.ts';
import { type Reception, receptionRecord } from '../reception/reception.ts';
import { asDeclaration, declaredSensors, isInUse, sensorsInUse } from '../sensors/declared-sensors.ts';
import type { LatestValues } from '../sensors/sensor.ts';
import { currentReadings, declaredReadings, sensorStatus } from '../telemetry/current-readings.ts';
import { type Purge, purgeRecord } from './removal.ts';

interface ShownDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly model: string;
  readonly profile: ProfileName;
  readonly facility: string;
  readonly zone: string;
  readonly labels: Labels;
  readonly presence: Presence;
  readonly removedAtMs: number | null;
  readonly purge?: Purge;
}

/** The record of a device for callers and for the event log. */
export const deviceSummary = (device: ShownDevice, nowMs: number): DeviceSummary => ({
  device_id: device.deviceId,
  name: device.name,
  model: device.model,
  profile: device.profile,
  status: deviceStatus(device.presence, nowMs),
  location: { facility: device.facility, zone: device.zone },
  last_seen: toIsoOrNull(device.presence.lastSeenAtMs),
  ...(Object.keys(device.labels).length === 0 ? {} : { labels: device.labels }),
  ...(device.removedAtMs === null ? {} : { removed_at: toIso(device.removedAtMs) }),
});

interface DetailedDevice extends ShownDevice {
  readonly firmwareVersion: string;
  readonly sensorDocument: string | null;
}

function commonDetail(device: DetailedDevice, nowMs: number) {
  const maintenance = maintenanceRecord(device.presence.maintenance, nowMs);
  return {
    ...deviceSummary(device, nowMs),
    firmware_version: device.firmwareVersion,
    ...(maintenance === null ? {} : { maintenance }),
    ...(device.purge === undefined ? {} : { purge: purgeRecord(device.purge, 'running') }),
  };
}

/** The record of a device whose maintenance has begun or ended, for the event log. */
export const maintainedDeviceRecord = (device: DetailedDevice, nowMs: number) => ({
  ...deviceSummary(device, nowMs),
  maintenance: maintenanceRecord(device.presence.maintenance, nowMs),
});

function declaredSummaries(
  { sensorDocument, presence }: DetailedDevice,
  latest: LatestValues,
  nowMs: number,
): DeclaredSensorSummary[] {
  const { sensors: readings } = declaredReadings(sensorsInUse(sensorDocument), latest, presence, nowMs);
  if (readings === undefined) return [];
  return declaredSensors(sensorDocument)
    .sensors.filter(isInUse)
    .map((sensor) => ({
      ...asDeclaration(sensor),
      status: sensorStatus(readings[sensor.sensorId] ?? NEVER_REPORTED),
    }));
}

const NEVER_REPORTED = { timestamp: null, quality: 'bad' } as const;

/** The record of a changed device for the event log, with all fields that a caller can change. */
export const changedDeviceRecord = (
  device: DetailedDevice & { readonly capacityKg: number | null },
  nowMs: number,
) => ({
  ...commonDetail(device, nowMs),
  ...(device.capacityKg === null ? {} : { capacity: { max: device.capacityKg, unit: 'kg' } }),
  sensors: declaredSensors(device.sensorDocument).sensors.filter(isInUse).map(asDeclaration),
});

interface FieldDevice {
  readonly device: DetailedDevice;
  readonly reception: Reception | null;
  readonly latest: LatestValues;
  /** The emergency stop in force, if there is one. */
  readonly stop: CommandState | undefined;
}

export function fieldDetail({ device, reception, latest, stop }: FieldDevice, nowMs: number): FieldDetail {
  const sensors = declaredSummaries(device, latest, nowMs);
  return {
    ...commonDetail(device, nowMs),
    ...receptionRecord(reception, hasValues(latest)),
    ...(hasCapability(device.profile, 'commands') ? { emergency_stop: emergencyStopSummary(stop) } : {}),
    ...(sensors.length === 0 ? {} : { sensors }),
  };
}

const hasValues = (latest: LatestValues): boolean => Object.keys(latest).length > 0;

interface Silo {
  readonly device: DetailedDevice;
  readonly reception: Reception | null;
  readonly capacityKg: number;
  readonly latest: LatestValues;
}

export function siloDetail({ device, reception, capacityKg, latest }: Silo, nowMs: number): SiloDetail {
  const { reportingIntervalMs } = device.presence;
  const readings = currentReadings(latest, { reportingIntervalMs, capacityKg }, nowMs);
  const standard = SENSOR_TYPES.map((type) => ({
    type,
    sensor_id: `${device.deviceId}-${type}`,
    status: sensorStatus(readings[type]),
  }));
  const sensors = [...standard, ...declaredSummaries(device, latest, nowMs)];
  return {
    ...commonDetail(device, nowMs),
    ...receptionRecord(reception, hasValues(latest)),
    capacity: { max: capacityKg, unit: 'kg' },
    sensors,
  };
}

interface ShownRejection {
  readonly receivedAtMs: number;
  readonly topic: string;
  readonly reason: string;
  readonly payload: string;
}

export const rejectionsRecord = (total: number, recent: readonly ShownRejection[]): Rejections => ({
  total,
  recent: recent.map(({ receivedAtMs, topic, reason, payload }) => ({
    received_at: toIso(receivedAtMs),
    topic,
    reason,
    payload,
  })),
});
