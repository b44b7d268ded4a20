import { type Static, Type } from 'typebox';
import { OptionalActor } from '../audit.ts';
import { DeviceId } from '../ids.ts';
import { checker, closed, described } from '../input/schema.ts';
import { line, lineOrEmpty, shownName } from '../input/text-schemas.ts';
import { Timestamp } from '../input/timestamp.ts';
import { PROFILE_NAMES, profileNamesOf } from '../profiles/profiles.ts';
import { LabelChanges, Labels } from './labels.ts';
import { RefusedReadings } from './reception.ts';
import { DeclaredSensorSummary, SensorDeclarations } from './sensors.ts';
import { DEVICE_STATUSES, SENSOR_STATUSES, SENSOR_TYPES } from './statuses.ts';

const Reason = line(200);

/** A reason is required to begin maintenance; `until` is the time at which the maintenance ends by itself. */
export const MaintenanceRequest = closed({
  on: Type.Boolean(),
  reason: Type.Optional(Reason),
  until: Type.Optional(Timestamp),
});

/** The maintenance that a person has declared, while it lasts. */
export const DeclaredMaintenance = closed({
  reason: Reason,
  since: Timestamp,
  until: described('`null` if it lasts until somebody ends it.', Type.Union([Timestamp, Type.Null()])),
  by: OptionalActor,
});

export type MaintenanceRequest = Static<typeof MaintenanceRequest>;
export type DeclaredMaintenance = Static<typeof DeclaredMaintenance>;

export const checkMaintenanceRequest = checker(MaintenanceRequest);

/** `purge` also removes all records of the device. */
export const RemovalQuery = closed({ purge: Type.Optional(Type.Enum(['true', 'false'])) });

/** The removal of all records of a device. */
export const DevicePurge = closed({
  status: described(
    '`done` only in the event at its end; then the device is not found any more.',
    Type.Enum(['running', 'done']),
  ),
  rows_removed: Type.Integer({ minimum: 0 }),
  started_at: Timestamp,
});

export type DevicePurge = Static<typeof DevicePurge>;

export const checkRemovalQuery = checker(RemovalQuery);

const Label = shownName(200);

const Location = closed({ facility: Label, zone: Label });

/** The unit is always `kg`: the capacity is a property of the scale, and the scales weigh in kilograms. */
const Capacity = closed({
  max: Type.Number({ exclusiveMinimum: 0, maximum: 1e7 }),
  unit: Type.Literal('kg'),
});

export const DeviceSummary = closed({
  device_id: DeviceId,
  name: Label,
  model: Label,
  profile: Type.Enum(PROFILE_NAMES),
  status: Type.Enum(DEVICE_STATUSES),
  location: Location,
  last_seen: Type.Union([Timestamp, Type.Null()]),
  labels: Type.Optional(described('In the answers about devices that have some.', Labels)),
  removed_at: Type.Optional(described('In the answers about removed devices.', Timestamp)),
});

export const SensorSummary = closed({
  type: Type.Enum(SENSOR_TYPES),
  sensor_id: Type.String(),
  status: Type.Enum(SENSOR_STATUSES),
});

const detailFields = {
  ...DeviceSummary.properties,
  firmware_version: Type.String(),
  clock_offset_s: described(
    'How far the clock of the device is ahead, in seconds; negative: behind. 0 while it differs by less than a minute, `null` while it is not known.',
    Type.Union([Type.Integer(), Type.Null()]),
  ),
  refused_readings: described(
    'The messages since the last one that was taken completely; `null` if that was the last one.',
    Type.Union([RefusedReadings, Type.Null()]),
  ),
  maintenance: Type.Optional(described('While a person has declared maintenance.', DeclaredMaintenance)),
  purge: Type.Optional(described('While the records of a removed device are being removed.', DevicePurge)),
};

export const SiloDetail = closed({
  ...detailFields,
  capacity: Capacity,
  sensors: described(
    'The declared sensors follow those of the profile.',
    Type.Array(Type.Union([SensorSummary, DeclaredSensorSummary])),
  ),
});

/** While it is active, only `emergency_stop` and `release_emergency_stop` are accepted. */
export const EmergencyStopSummary = closed({
  active: Type.Boolean(),
  confirmed: described('The device has reported that it stands still.', Type.Boolean()),
  since: Type.Union([Timestamp, Type.Null()]),
  command_id: Type.Union([Type.String(), Type.Null()]),
});

export const FieldDetail = closed({
  ...detailFields,
  emergency_stop: Type.Optional(
    described('In the answers of devices that accept commands.', EmergencyStopSummary),
  ),
  sensors: Type.Optional(
    described('In the answers of devices that have declared sensors.', Type.Array(DeclaredSensorSummary)),
  ),
});

const registrationFields = {
  device_id: DeviceId,
  name: Label,
  model: Label,
  firmware_version: Type.Optional(lineOrEmpty(100)),
  location: Location,
  labels: Type.Optional(described('What devices are found by, such as `{"product": "wheat"}`.', Labels)),
  sensors: Type.Optional(
    described('The sensors that the device has beside those of its profile.', SensorDeclarations),
  ),
};

export const SiloRegistration = closed({ ...registrationFields, capacity: Capacity });
export const FieldRegistration = closed({
  ...registrationFields,
  profile: Type.Optional(described('`rover` when not given.', Type.Enum(profileNamesOf('field')))),
});

const patchFields = {
  name: Type.Optional(Label),
  model: Type.Optional(Label),
  firmware_version: Type.Optional(lineOrEmpty(100)),
  location: Type.Optional(closed({ facility: Type.Optional(Label), zone: Type.Optional(Label) })),
  labels: Type.Optional(described('What is not named stays as it is; `null` removes a label.', LabelChanges)),
  sensors: Type.Optional(
    described(
      'Replaces the list; a sensor that is missing in it is removed, and its history is kept.',
      SensorDeclarations,
    ),
  ),
};

/** Fields that are not given stay as they are. */
export const SiloPatch = closed({ ...patchFields, capacity: Type.Optional(Capacity) });
export const FieldPatch = closed(patchFields);

/** The MQTT login of a device; the secret is shown once and stored only as a hash. */
export const DeviceCredentials = closed({ username: DeviceId, secret: Type.String() });

/** A message of a device that could not be used, stored so that a person can see it. */
export const Rejection = closed({
  received_at: Timestamp,
  topic: Type.String(),
  reason: Type.String(),
  payload: Type.String(),
});

export const Rejections = closed({
  total: Type.Integer(),
  recent: Type.Array(Rejection),
});

export type DeviceSummary = Static<typeof DeviceSummary>;
export type SensorSummary = Static<typeof SensorSummary>;
export type SiloDetail = Static<typeof SiloDetail>;
export type EmergencyStopSummary = Static<typeof EmergencyStopSummary>;
export type FieldDetail = Static<typeof FieldDetail>;
export type SiloRegistration = Static<typeof SiloRegistration>;
export type FieldRegistration = Static<typeof FieldRegistration>;
export type SiloPatch = Static<typeof SiloPatch>;
export type FieldPatch = Static<typeof FieldPatch>;
/** A change of any device; only a silo has a capacity. */
export type DevicePatch = SiloPatch;
export type DeviceCredentials = Static<typeof DeviceCredentials>;
export type Rejections = Static<typeof Rejections>;

export const checkSiloRegistration = checker(SiloRegistration);
export const checkFieldRegistration = checker(FieldRegistration);
export const checkSiloPatch = checker(SiloPatch);
export const checkFieldPatch = checker(FieldPatch);

export const MaintainedDevice = closed({
  ...DeviceSummary.properties,
  maintenance: described('`null` when it has ended.', Type.Union([DeclaredMaintenance, Type.Null()])),
});

const { firmware_version, maintenance, purge, capacity } = SiloDetail.properties;

const { status: _status, ...declaredSensor } = DeclaredSensorSummary.properties;

export const ChangedDevice = closed({
  ...DeviceSummary.properties,
  firmware_version,
  maintenance,
  purge,
  capacity: Type.Optional(described('Of a silo.', capacity)),
  sensors: described('The declared sensors.', Type.Array(closed(declaredSensor))),
  changed: described('The names of the fields that differ.', Type.Array(Type.String())),
});
