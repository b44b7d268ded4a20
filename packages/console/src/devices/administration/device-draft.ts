import type { CallOptions, Client } from '@granary/client';
import type {
  DeviceCredentials,
  DevicePatch,
  FieldDetail,
  FieldRegistration,
  SiloDetail,
} from '@granary/contract/devices/devices';
import type { Labels } from '@granary/contract/devices/labels';
import type { DeclaredSensorSummary, SensorDeclaration } from '@granary/contract/devices/sensors';
import { PROFILE_OUTLINES } from '@granary/contract/outline';
import type { DeviceGroup } from '@granary/contract/profiles/groups';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { labelChanges, labelsChanged, labelText } from './label-text.ts';

export const EMPTY_SENSOR: SensorDraft = {
  sensor_id: '',
  type: '',
  unit: '',
  precision: '',
  min: '',
  max: '',
  reporting_interval_s: '',
};

/** The contents of the form of a device, as they were typed. */
export interface DeviceDraft {
  readonly name: string;
  readonly model: string;
  readonly facility: string;
  readonly zone: string;
  readonly firmware_version: string;
  /** The capacity in kilograms; only a silo has one. */
  readonly capacity: string;
  readonly labels: string;
  readonly sensors: readonly SensorDraft[];
}

export const EMPTY_DEVICE: DeviceDraft = {
  name: '',
  model: '',
  facility: '',
  zone: '',
  firmware_version: '',
  capacity: '',
  labels: '',
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
    labels: labelText(device.labels),
    sensors: declared.map(draftOfSensor),
  };
}

interface GroupRegistration {
  readonly hasCapacity: boolean;
  register(
    client: Client,
    body: Omit<FieldRegistration, 'profile'>,
    { profile, capacityKg }: { readonly profile: ProfileName; readonly capacityKg: number },
    options: CallOptions,
  ): Promise<{ readonly credentials: DeviceCredentials }>;
}

/** The group of a profile decides which fields a registration has, and to which endpoint it is sent. */
const GROUPS: Readonly<Record<DeviceGroup, GroupRegistration>> = {
  silo: {
    hasCapacity: true,
    register: (client, body, { capacityKg }, options) =>
      client.devices.silo.register({ ...body, capacity: { max: capacityKg, unit: 'kg' } }, options),
  },
  field: {
    hasCapacity: false,
    register: (client, body, { profile }, options) =>
      client.devices.field.register({ ...body, profile }, options),
  },
};

export const hasCapacity = (profile: ProfileName): boolean =>
  GROUPS[PROFILE_OUTLINES[profile].group].hasCapacity;

/** Registers the device of the form, and returns its credentials. */
export async function registerDevice(
  client: Client,
  profile: ProfileName,
  deviceId: string,
  draft: DeviceDraft,
  options: CallOptions,
  sensors: readonly SensorDeclaration[] = draft.sensors.map(sensorOf),
): Promise<DeviceCredentials> {
  const { name, model, facility, zone, firmware_version: firmware, capacity, labels } = trimmed(draft);
  const body = {
    device_id: deviceId.trim(),
    name,
    model,
    location: { facility, zone },
    ...(firmware === '' ? {} : { firmware_version: firmware }),
    ...(labels === '' ? {} : { labels: labelChanges(labels) as Labels }),
    ...(sensors.length === 0 ? {} : { sensors: [...sensors] }),
  };
  const { register } = GROUPS[PROFILE_OUTLINES[profile].group];
  return (await register(client, body, { profile, capacityKg: Number(capacity) }, options)).credentials;
}

/** Only the fields that the person has changed, so that a change of another person to another field stays. */
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
    ...(isChanged('labels') ? { labels: labelsChanged(before.labels, now.labels) } : {}),
    ...(isChanged('sensors') ? { sensors: now.sensors.map<SensorDeclaration>(sensorOf) } : {}),
  };
}

/** The form after a change of another person: fields that this person has typed stay, all others are as they are now. */
export const mergedDraft = (draft: DeviceDraft, before: DeviceDraft, now: DeviceDraft): DeviceDraft =>
  eachField(draft, (field) => (isSame(draft[field], before[field]) ? now[field] : draft[field]));

export const changedFields = (before: DeviceDraft, now: DeviceDraft): readonly (keyof DeviceDraft)[] =>
  fieldsOf(before).filter((field) => !isSame(before[field], now[field]));

const fieldsOf = (draft: DeviceDraft) => Object.keys(draft) as (keyof DeviceDraft)[];

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A draft whose fields have the values that a function gives them; each gets one of its own type. */
const eachField = (draft: DeviceDraft, valueIn: (field: keyof DeviceDraft) => unknown): DeviceDraft =>
  Object.fromEntries(fieldsOf(draft).map((field) => [field, valueIn(field)])) as unknown as DeviceDraft;

const trimmed = (draft: DeviceDraft): DeviceDraft =>
  eachField(draft, (field) => {
    const value = draft[field];
    return typeof value === 'string' ? value.trim() : value;
  });

/** A declared sensor as it was typed; an empty field is not sent. */
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
