import type { TObject } from 'typebox';
import {
  ChangedDevice,
  checkFieldPatch,
  checkFieldRegistration,
  checkMaintenanceRequest,
  checkRemovalQuery,
  checkSiloPatch,
  checkSiloRegistration,
  DeclaredMaintenance,
  DeviceCredentials,
  DevicePurge,
  DeviceSummary,
  EmergencyStopSummary,
  FieldDetail,
  FieldPatch,
  FieldRegistration,
  MaintainedDevice,
  MaintenanceRequest,
  Rejection,
  Rejections,
  SensorSummary,
  SiloDetail,
  SiloPatch,
  SiloRegistration,
} from '../devices/devices.ts';
import {
  DeclaredSensorSummary,
  SENSORS_DECLARED_MAX,
  SensorDeclaration,
  SensorPosition,
} from '../devices/sensors.ts';
import { checkPageQuery } from '../envelope.ts';
import { DeviceId } from '../ids.ts';
import { type Checker, closed } from '../input/schema.ts';
import { LinkStatus } from '../link/link-status.ts';
import type { DeviceGroup } from '../profiles/groups.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, type ExampleDeclaration, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

/** Only this answer contains the secret. */
const RegisteredSilo = closed({ ...SiloDetail.properties, credentials: DeviceCredentials });
const RegisteredFieldDevice = closed({ ...FieldDetail.properties, credentials: DeviceCredentials });

type PatchExample<Patch> = ExampleDeclaration<{ readonly device_id: string }, undefined, Patch>;

interface Shapes<Detail extends TObject, Registered extends TObject, Registration, Patch> {
  readonly detail: Detail;
  readonly registered: Registered;
  readonly checkRegistration: Checker<Registration>;
  readonly example: Registration;
  readonly checkPatch: Checker<Patch>;
  readonly patches: readonly PatchExample<NoInfer<Patch>>[];
}

/** The version of all fields of the device that a caller can change. */
const ETAG = { headers: ['etag'] } as const;

const CO2 = { sensor_id: 'co2', type: 'co2', unit: 'ppm', precision: 0, min: 0, max: 10_000 };

/** Examples that are valid for every group. */
const PATCHES: readonly PatchExample<FieldPatch>[] = [
  { summary: 'another name and zone', body: { name: 'Reserve', location: { zone: 'yard 2' } } },
  {
    summary: 'a change of an outdated version',
    body: { name: 'Reserve' },
    headers: { 'if-match': '"99"' },
    refusal: 'stale_version',
  },
  { summary: 'a new label, and one less', body: { labels: { product: 'wheat', season: null } } },
  { summary: 'a further sensor', body: { sensors: [CO2] } },
  {
    summary: 'a sensor with the name of a standard one',
    body: { sensors: [{ ...CO2, sensor_id: 'temperature' }] },
    refusal: 'sensor_conflict',
  },
];

const deviceEndpoints = <Detail extends TObject, Registered extends TObject, Registration, Patch>(
  group: DeviceGroup,
  {
    detail,
    registered,
    checkRegistration,
    example,
    checkPatch,
    patches,
  }: Shapes<Detail, Registered, Registration, Patch>,
) => ({
  /** The devices are ordered by id. */
  list: endpoint(group, 'GET', '/devices', {
    number: group === 'silo' ? 1 : null,
    scope: 'read',
    summary: 'Lists the devices of this group that the key may see.',
    query: checkPageQuery,
    answers: { 200: pageOf(DeviceSummary) },
    examples: [
      { summary: 'the first page' },
      { summary: 'a page of ten devices', query: { limit: '10' } },
      { summary: 'a page of no devices', query: { limit: '0' }, refusal: 'invalid_input' },
    ],
  }),
  get: endpoint(group, 'GET', '/devices/{device_id}', {
    number: group === 'silo' ? 2 : null,
    scope: 'read',
    summary: 'Shows one device.',
    answers: { 200: one(detail, ETAG) },
    examples: [
      { summary: 'a device' },
      { summary: 'an unknown device', parameters: { device_id: 'nobody' }, refusal: 'device_not_found' },
    ],
  }),
  /** Only this answer contains the secret. */
  register: endpoint(group, 'POST', '/devices', {
    scope: 'admin',
    summary: 'Registers a device, and answers its secret for the device link this once.',
    body: body(checkRegistration, 'device'),
    answers: { 200: one(registered, ETAG) },
    errors: ['device_exists', 'sensor_conflict', 'broker_unavailable'],
    examples: [{ summary: 'a new device', body: example }],
  }),
  update: endpoint(group, 'PATCH', '/devices/{device_id}', {
    scope: 'admin',
    summary: 'Changes what is known of a device; the list of declared sensors is replaced as a whole.',
    body: body(checkPatch, 'device'),
    requestHeaders: ['if-match'],
    answers: { 200: one(detail, ETAG) },
    errors: ['sensor_conflict', 'operation_in_progress', 'stale_version'],
    examples: patches,
  }),
  /** The maintenance ends by itself at `until`, if that is given. */
  maintenance: endpoint(group, 'POST', '/devices/{device_id}/maintenance', {
    scope: 'configure',
    summary: 'Begins or ends maintenance: nothing may move, and the silence of the device raises no alert.',
    body: body(checkMaintenanceRequest, 'maintenance'),
    answers: { 200: one(detail) },
    examples: [
      {
        summary: 'until the evening',
        body: { on: true, reason: 'new gate motor', until: '2026-11-15T18:00:00Z' },
      },
      { summary: 'it is over', body: { on: false } },
    ],
  }),
  /** The records stay readable and the id stays taken until the device is purged; until then it can be restored. */
  remove: endpoint(group, 'DELETE', '/devices/{device_id}', {
    scope: 'admin',
    summary:
      'Removes a device on which nothing runs; its history and its records are kept, or removed with it.',
    query: checkRemovalQuery,
    answers: { 200: one(detail) },
    errors: ['device_busy'],
    examples: [
      { summary: 'a device' },
      { summary: 'a device with all its records', query: { purge: 'true' } },
    ],
  }),
  /** Only this answer contains the new secret. */
  restore: endpoint(group, 'POST', '/devices/{device_id}/restore', {
    scope: 'admin',
    summary:
      'Brings a removed device back with its history and its records, and answers its new secret this once.',
    answers: { 200: one(registered, ETAG) },
    errors: ['device_not_removed', 'broker_unavailable'],
    examples: [{ summary: 'a removed device' }],
  }),
  /** Makes a new secret; the old one stops working. */
  renewCredentials: endpoint(group, 'POST', '/devices/{device_id}/credentials', {
    scope: 'admin',
    summary: 'Replaces the secret of a device, and closes its connection.',
    answers: { 200: one(DeviceCredentials) },
    errors: ['broker_unavailable'],
    examples: [{ summary: 'a new secret' }],
  }),
  /** Messages of this device that could not be used. */
  rejections: endpoint(group, 'GET', '/devices/{device_id}/rejections', {
    scope: 'read',
    summary: 'Shows how many messages of a device could not be used, and the last twenty of them.',
    answers: { 200: one(Rejections) },
    examples: [{ summary: 'the rejections of a device' }],
  }),
  /** The MQTT connection of a device: whether and since when it is connected, and its last fault. */
  link: endpoint(group, 'GET', '/devices/{device_id}/link', {
    scope: 'read',
    summary: 'Shows the MQTT connection of a device, with counts since the start of the service.',
    answers: { 200: one(LinkStatus) },
    examples: [{ summary: 'the connection of a device' }],
  }),
});

const description = { firmware_version: '1.4.2', location: { facility: 'north', zone: 'yard' } };

const endpoints = {
  silo: deviceEndpoints('silo', {
    detail: SiloDetail,
    registered: RegisteredSilo,
    checkRegistration: checkSiloRegistration,
    checkPatch: checkSiloPatch,
    patches: [{ summary: 'another capacity', body: { capacity: { max: 25_000, unit: 'kg' } } }, ...PATCHES],
    example: {
      device_id: 'silo-8',
      name: 'Silo 8',
      model: 'GS-100',
      ...description,
      capacity: { max: 20_000, unit: 'kg' },
    },
  }),
  field: deviceEndpoints('field', {
    detail: FieldDetail,
    registered: RegisteredFieldDevice,
    checkRegistration: checkFieldRegistration,
    checkPatch: checkFieldPatch,
    patches: PATCHES,
    example: { device_id: 'rover-4', name: 'Rover 4', model: 'FR-7', ...description },
  }),
};

export const devices = {
  description:
    'Silo scales, rovers, drones and weather stations: registration, description, maintenance, removal.',
  endpoints,
  schemas: {
    DeviceSummary,
    SensorSummary,
    SiloDetail,
    FieldDetail,
    SiloRegistration,
    FieldRegistration,
    SiloPatch,
    FieldPatch,
    DeviceCredentials,
    Rejections,
    EmergencyStopSummary,
    Rejection,
    DeclaredMaintenance,
    MaintenanceRequest,
    MaintainedDevice,
    ChangedDevice,
    DeclaredSensorSummary,
    SensorDeclaration,
    SensorPosition,
    RegisteredFieldDevice,
    RegisteredSilo,
    LinkStatus,
  },
  events: {
    'device.registered': DeviceSummary,
    'device.updated': ChangedDevice,
    'device.credentials_replaced': closed({ device_id: DeviceId }),
    'device.maintenance_changed': MaintainedDevice,
    'device.removed': DeviceSummary,
    'device.restored': DeviceSummary,
    'device.purged': closed({ device_id: DeviceId, purge: DevicePurge }),
    'device.status_changed': DeviceSummary,
  },
  values: { SENSORS_DECLARED_MAX },
} satisfies Slice;
