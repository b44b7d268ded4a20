import type {
  DevicePatch,
  FieldDetail,
  FieldRegistration,
  SiloDetail,
  SiloRegistration,
} from '@granary/contract/devices/devices';
import type { DeviceGroup } from '@granary/contract/devices/groups';
import type { DeclaredSensorSummary, SensorDeclaration } from '@granary/contract/devices/sensors';
import { PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';

export const EMPTY_SENSOR: SensorDraft = {
  sensor_id: '',
  type: '',
  unit: '',
  precision: '',
  min: '',
  max: '',
  reporting_interval_s: '',
};

/** What the form of a device holds, as it was typed. */
export interface DeviceDraft {
  readonly name: string;
  readonly model: string;
  readonly facility: string;
  readonly zone: string;
  readonly firmware_version: string;
  /** In kilograms; only a silo has it. */
  readonly capacity: string;
  readonly sensors: readonly SensorDraft[];
}

export const EMPTY_DEVICE: DeviceDraft = {
  name: '',
  model: '',
  facility: '',
  zone: '',
  firmware_version: '',
  capacity: '',
  sensors: [],
};

export type DeviceDetail = SiloDetail | FieldDetail;

export function draftOfDevice(device: DeviceDetail): DeviceDraft {
  const declared = (device.sensors ?? []).filter((sensor) => 'unit' in sensor);
  return {
    name: device.name,
    model: device.model,
    firmware_version: device.firmware_version,
    ...device.location,
    capacity: 'capacity' in device ? String(device.capacity.max) : '',
    sensors: declared.map(draftOfSensor),
  };
}

export type Registration =
  | { readonly group: 'silo'; readonly body: SiloRegistration }
  | { readonly group: 'field'; readonly body: FieldRegistration };

/** The group of the profile decides what is told of the device, and where. */
export function registrationOf(profile: ProfileName, deviceId: string, draft: DeviceDraft): Registration {
  const { name, model, facility, zone, firmware_version: firmware } = trimmed(draft);
  const sensors = draft.sensors.map(sensorOf);
  const common = {
    device_id: deviceId.trim(),
    name,
    model,
    location: { facility, zone },
    ...(firmware === '' ? {} : { firmware_version: firmware }),
    ...(sensors.length === 0 ? {} : { sensors }),
  };
  const registrations: Readonly<Record<DeviceGroup, () => Registration>> = {
    silo: () => ({
      group: 'silo',
      body: { ...common, capacity: { max: Number(draft.capacity), unit: 'kg' } },
    }),
    field: () => ({ group: 'field', body: { ...common, profile } }),
  };
  return registrations[PROFILES[profile].group]();
}

/** Only what the person has changed, so that a change of another person to another field stays. */
export function patchOf(draft: DeviceDraft, before: DeviceDraft): DevicePatch {
  const now = trimmed(draft);
  const isChanged = (field: keyof DeviceDraft): boolean => !isSame(now[field], before[field]);
  const location = {
    ...(isChanged('facility') ? { facility: now.facility } : {}),
    ...(isChanged('zone') ? { zone: now.zone } : {}),
  };
  return {
    ...(isChanged('name') ? { name: now.name } : {}),
    ...(isChanged('model') ? { model: now.model } : {}),
    ...(isChanged('firmware_version') ? { firmware_version: now.firmware_version } : {}),
    ...(Object.keys(location).length === 0 ? {} : { location }),
    ...(isChanged('capacity') ? { capacity: { max: Number(now.capacity), unit: 'kg' as const } } : {}),
    ...(isChanged('sensors') ? { sensors: now.sensors.map<SensorDeclaration>(sensorOf) } : {}),
  };
}

/** After a change of another person: what this person has typed stays, everything else is as it is now. */
export const mergedDraft = (draft: DeviceDraft, before: DeviceDraft, now: DeviceDraft): DeviceDraft =>
  Object.fromEntries(
    fieldsOf(draft).map((field) => [field, isSame(draft[field], before[field]) ? now[field] : draft[field]]),
  ) as unknown as DeviceDraft;

export const changedFields = (before: DeviceDraft, now: DeviceDraft): readonly (keyof DeviceDraft)[] =>
  fieldsOf(before).filter((field) => !isSame(before[field], now[field]));

const fieldsOf = (draft: DeviceDraft) => Object.keys(draft) as (keyof DeviceDraft)[];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const trimmed = (draft: DeviceDraft): DeviceDraft =>
  Object.fromEntries(
    Object.entries(draft).map(([field, value]) => [field, typeof value === 'string' ? value.trim() : value]),
  ) as unknown as DeviceDraft;

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

const draftOfSensor = (sensor: DeclaredSensorSummary): SensorDraft => ({
  sensor_id: sensor.sensor_id,
  type: sensor.type,
  unit: sensor.unit,
  precision: String(sensor.precision),
  min: String(sensor.min),
  max: String(sensor.max),
  reporting_interval_s: sensor.reporting_interval_s === null ? '' : String(sensor.reporting_interval_s),
});

function sensorOf(draft: SensorDraft): SensorDeclaration {
  const numbers = ['precision', 'min', 'max', 'reporting_interval_s'] as const;
  const given = numbers.filter((field) => draft[field].trim() !== '');
  return {
    sensor_id: draft.sensor_id.trim(),
    type: draft.type.trim(),
    unit: draft.unit.trim(),
    ...Object.fromEntries(given.map((field) => [field, Number(draft[field])])),
  };
}
