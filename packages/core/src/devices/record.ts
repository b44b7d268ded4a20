import type { DeviceSummary, FieldDetail, Rejections, SiloDetail } from '@granary/contract/devices/devices';
import { SENSOR_TYPES } from '@granary/contract/devices/statuses';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { toIso, toIsoOrNull } from '@granary/contract/time';
import { emergencyStopSummary } from '../commands/emergency-stop.ts';
import type { CommandState } from '../commands/state.ts';
import { currentReadings, type LatestValues, sensorStatus } from '../telemetry/readings.ts';
import { deviceStatus, type Presence } from './status.ts';

interface ShownDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly model: string;
  readonly profile: ProfileName;
  readonly facility: string;
  readonly zone: string;
  readonly presence: Presence;
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
});

interface DetailedDevice extends ShownDevice {
  readonly firmwareVersion: string;
}

const commonDetail = (device: DetailedDevice, nowMs: number) => ({
  ...deviceSummary(device, nowMs),
  firmware_version: device.firmwareVersion,
});

/** `stop` is the emergency stop in force, if there is one. */
export const fieldDetail = (
  device: DetailedDevice,
  stop: CommandState | undefined,
  nowMs: number,
): FieldDetail => ({
  ...commonDetail(device, nowMs),
  emergency_stop: emergencyStopSummary(stop),
});

interface Silo {
  readonly device: DetailedDevice;
  readonly capacityKg: number;
  readonly latest: LatestValues;
}

export function siloDetail({ device, capacityKg, latest }: Silo, nowMs: number): SiloDetail {
  const { reportingIntervalMs } = device.presence;
  const readings = currentReadings(latest, { reportingIntervalMs, capacityKg }, nowMs);
  const sensors = SENSOR_TYPES.map((type) => ({
    type,
    sensor_id: `${device.deviceId}-${type}`,
    status: sensorStatus(readings[type]),
  }));
  return { ...commonDetail(device, nowMs), capacity: { max: capacityKg, unit: 'kg' }, sensors };
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
