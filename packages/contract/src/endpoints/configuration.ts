import { type TSchema, Type } from 'typebox';
import { OptionalActor } from '../audit.ts';
import {
  FAILSAFE_ACTIONS,
  FieldConfiguration,
  FieldConfigurationPatch,
  GEOFENCE_POINTS_MAX,
  Geofence,
} from '../configuration/field-configuration.ts';
import { Alarms, Maintenance, Reporting, ThresholdRule } from '../configuration/shared-configuration.ts';
import { SiloConfiguration, SiloConfigurationPatch } from '../configuration/silo-configuration.ts';
import {
  WeatherStationConfiguration,
  WeatherStationConfigurationPatch,
} from '../configuration/weather-station-configuration.ts';
import { checkPageQuery } from '../envelope.ts';
import type { ErrorCode } from '../errors.ts';
import { type Checker, closed, described } from '../input/schema.ts';
import { Timestamp } from '../input/timestamp.ts';
import type { DeviceGroup } from '../profiles/groups.ts';
import {
  configurationOf,
  configurationPatchCheckOf,
  type DeviceConfiguration,
} from '../profiles/profiles.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const RULES: ThresholdRule[] = [
  { sensor_id: 'temperature', above: 30, severity: 'warning', dead_band: 1, on_delay_s: 60 },
  { sensor_id: 'temperature', above: 40, severity: 'critical', message: 'Fire risk' },
];
const WITH_VERSION = { headers: ['etag'] };

/** The configuration from `at` until the next version. */
const configurationVersion = <Configuration extends TSchema>(configuration: Configuration) =>
  closed({
    version: described('As in the header `ETag`.', Type.Integer({ minimum: 1 })),
    at: Timestamp,
    actor: described(
      '`null` where it was stored before versions were kept, or no caller asked for it.',
      OptionalActor,
    ),
    configuration,
  });

interface Shapes<Configuration extends TSchema, Patch> {
  readonly configuration: Configuration;
  readonly checkPatch: Checker<Patch>;
  readonly errors: readonly ErrorCode[];
  readonly example: Patch;
  readonly rulesExample: Patch;
}

const configurationEndpoints = <Configuration extends TSchema, Patch>(
  group: DeviceGroup,
  { configuration, checkPatch, errors, example, rulesExample }: Shapes<Configuration, Patch>,
) => ({
  get: endpoint(group, 'GET', '/devices/{device_id}/config', {
    number: group === 'silo' ? 11 : null,
    scope: 'read',
    summary: 'Shows the configuration of a device; its version is in the header ETag.',
    answers: { 200: one(configuration, WITH_VERSION) },
    examples: [{ summary: 'the configuration' }],
  }),
  update: endpoint(group, 'PUT', '/devices/{device_id}/config', {
    number: group === 'silo' ? 12 : null,
    scope: 'configure',
    summary: 'Changes any part of the configuration of a device, and sends it to the device.',
    requestHeaders: ['if-match'],
    body: body(checkPatch, 'configuration'),
    answers: { 200: one(configuration, WITH_VERSION) },
    errors: ['stale_version', ...errors],
    examples: [
      { summary: 'a part of it', body: example },
      { summary: 'threshold rules', body: rulesExample },
      {
        summary: 'a version that is not current',
        body: example,
        headers: { 'if-match': '"999"' },
        refusal: 'stale_version',
      },
    ],
  }),
  versions: endpoint(group, 'GET', '/devices/{device_id}/config/versions', {
    scope: 'read',
    summary: 'Lists the last versions of the configuration of a device and who made them, newest first.',
    query: checkPageQuery,
    answers: { 200: pageOf(configurationVersion(configuration)) },
    examples: [
      { summary: 'the newest', query: { limit: '2' } },
      { summary: 'an unknown cursor', query: { cursor: '!' }, refusal: 'invalid_input' },
    ],
  }),
});

const endpoints = {
  silo: configurationEndpoints('silo', {
    configuration: configurationOf('silo'),
    checkPatch: configurationPatchCheckOf('silo'),
    errors: ['critical_level_between_thresholds'],
    example: { thresholds: { low_level: 25 } },
    rulesExample: { rules: RULES },
  }),
  field: configurationEndpoints('field', {
    configuration: configurationOf('field'),
    checkPatch: configurationPatchCheckOf('field'),
    errors: ['invalid_geofence', 'no_base', 'outside_geofence'],
    example: { motion: { speed_m_s: 1.5 }, thresholds: { low_battery: 30 } },
    rulesExample: { rules: RULES },
  }),
};

export const configuration = {
  description: 'Thresholds, limits, alarms and failsafe actions of a device, with their versions.',
  endpoints,
  schemas: {
    FieldConfiguration,
    FieldConfigurationPatch,
    Geofence,
    Alarms,
    Maintenance,
    Reporting,
    ThresholdRule,
    SiloConfiguration,
    SiloConfigurationPatch,
    WeatherStationConfiguration,
    WeatherStationConfigurationPatch,
  },
  events: {
    'configuration.changed': Type.Unsafe<DeviceConfiguration>(
      Type.Union([configurationOf('silo'), configurationOf('field')]),
    ),
  },
  values: { FAILSAFE_ACTIONS, GEOFENCE_POINTS_MAX },
} satisfies Slice;
