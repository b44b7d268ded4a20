import { checkNewestValuesQuery, NewestValues } from '../fleet.ts';
import type { Checker } from '../input/schema.ts';
import { Point, Position } from '../positions.ts';
import type { DeviceGroup } from '../profiles/groups.ts';
import { telemetryCheckOf } from '../profiles/profiles.ts';
import {
  checkTrackQuery,
  EnvironmentalReading,
  LocationReading,
  Track,
  TrackPoint,
} from '../telemetry/field-readings.ts';
import {
  CurrentReadings,
  checkHistoryQuery,
  type DeviceTelemetry,
  HistoryPoint,
  INTERVAL_MS,
  INTERVALS,
  SensorHistory,
  TelemetryReceipt,
} from '../telemetry/telemetry.ts';
import { eventStream, one } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const AS_CSV = { alternatives: ['text/csv'] };
const A_DAY = { from: '2026-11-14T00:00:00Z', to: '2026-11-15T00:00:00Z' };

const sendEndpoint = (
  group: DeviceGroup,
  check: Checker<DeviceTelemetry>,
  [older, newer]: readonly [object, object],
) =>
  endpoint(group, 'POST', '/devices/{device_id}/telemetry', {
    scope: 'ingest',
    isAudited: false,
    summary: 'Stores readings of a device that does not use MQTT: all of them or none.',
    body: body(check, 'telemetry'),
    answers: { 200: one(TelemetryReceipt) },
    errors: ['ingest_busy'],
    examples: [
      { summary: 'one reading', body: { ts: '2026-11-15T08:29:00Z', ...newer } },
      {
        summary: 'several readings',
        body: [
          { ts: '2026-11-15T08:28:00Z', ...older },
          { ts: '2026-11-15T08:29:00Z', ...newer },
        ],
      },
      { summary: 'a time in seconds', body: { ts: 1_794_731_400, ...newer }, refusal: 'invalid_input' },
    ],
  });

const silo = {
  current: endpoint('silo', 'GET', '/devices/{device_id}/sensors', {
    number: 3,
    scope: 'read',
    summary: 'Shows the newest value of each sensor of a silo.',
    answers: { 200: one(CurrentReadings) },
    examples: [{ summary: 'the newest values' }],
  }),
  history: endpoint('silo', 'GET', '/devices/{device_id}/sensors/history', {
    number: 4,
    scope: 'read',
    summary: 'Shows what a sensor of a silo measured, one point for each interval that has readings.',
    query: checkHistoryQuery,
    answers: { 200: one(SensorHistory, AS_CSV) },
    examples: [
      { summary: 'the level of the last day by the hour' },
      {
        summary: 'the highest temperatures of one day',
        query: { ...A_DAY, sensor: 'temperature', interval: '1h', aggregate: 'max' },
      },
      {
        summary: 'more points than are answered at once',
        query: { from: '2026-01-01T00:00:00Z', interval: '5m' },
        refusal: 'invalid_input',
      },
    ],
  }),
  /** Receives telemetry over HTTP from devices that do not use MQTT; answers when the readings are on disk. */
  send: sendEndpoint('silo', telemetryCheckOf('silo'), [
    { weight: 512.4 },
    { weight: 512.2, temperature: 11.5, humidity: 62 },
  ]),
};

const field = {
  location: endpoint('field', 'GET', '/devices/{device_id}/location', {
    number: 14,
    scope: 'read',
    summary: 'Shows where a field device is, its battery and its signal.',
    answers: { 200: one(LocationReading) },
    examples: [{ summary: 'the newest location' }],
  }),
  environment: endpoint('field', 'GET', '/devices/{device_id}/sensors/environmental', {
    number: 15,
    scope: 'read',
    summary: 'Shows what a field device measures around it.',
    answers: { 200: one(EnvironmentalReading) },
    examples: [{ summary: 'the newest values' }],
  }),
  history: endpoint('field', 'GET', '/devices/{device_id}/sensors/history', {
    scope: 'read',
    summary: 'Shows what a field device reported, one point for each interval that has readings.',
    query: checkHistoryQuery,
    answers: { 200: one(SensorHistory, AS_CSV) },
    examples: [
      { summary: 'the temperature of the last day by the hour' },
      { summary: 'the soil moisture of one day', query: { ...A_DAY, sensor: 'soil_moisture' } },
    ],
  }),
  /** The positions of the device over time. */
  track: endpoint('field', 'GET', '/devices/{device_id}/track', {
    scope: 'read',
    summary: 'Shows where a field device was; of a longer track some points only.',
    query: checkTrackQuery,
    answers: { 200: one(Track) },
    examples: [
      { summary: 'the last six hours' },
      { summary: 'a hundred points of one day', query: { ...A_DAY, limit: '100' } },
    ],
  }),
  /** Receives telemetry over HTTP from devices that do not use MQTT; answers when the readings are on disk. */
  send: sendEndpoint('field', telemetryCheckOf('field'), [
    { battery_level: 81.5 },
    { latitude: 48.2, longitude: 16.3, altitude: 170, battery_level: 81.2, soil_moisture: 23 },
  ]),
};

const newestValues = {
  stream: endpoint('api', 'GET', '/readings/stream', {
    scope: 'read',
    summary:
      'Streams the newest values of the devices that the key may see: first all of them, then what changes, at most once a second. For screens: values that a reader misses are not sent later.',
    query: checkNewestValuesQuery,
    answers: { 200: eventStream(NewestValues) },
    errors: ['stream_limit_reached'],
    examples: [
      { summary: 'all devices' },
      { summary: 'two devices', query: { device_id: 'silo-7,rover-3' } },
      { summary: 'the devices of one facility', query: { facility: 'north' } },
      { summary: 'an id that cannot be one', query: { device_id: 'silo 7' }, refusal: 'invalid_input' },
    ],
  }),
};

export const telemetry = {
  description: 'What devices measure: newest values, history, tracks, and readings sent over HTTP.',
  endpoints: { silo, field },
  schemas: {
    CurrentReadings,
    HistoryPoint,
    SensorHistory,
    TelemetryReceipt,
    EnvironmentalReading,
    LocationReading,
    Track,
    TrackPoint,
    Point,
    Position,
  },
  values: { INTERVALS, INTERVAL_MS },
} satisfies Slice;

export const readings = {
  description: 'The newest values of all devices, as a stream.',
  endpoints: newestValues,
} satisfies Slice;
