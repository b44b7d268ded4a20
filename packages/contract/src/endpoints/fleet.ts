import {
  AlertStatistics,
  checkAlertStatisticsQuery,
  RAISED_PER_HOUR_ACCEPTABLE,
  RAISED_PER_HOUR_MANAGEABLE,
  RaisedAlerts,
} from '../alert-statistics.ts';
import {
  AcknowledgementResults,
  ALERTS_ACKNOWLEDGED_MAX,
  AlertsAcknowledgement,
  ATTENTION_ITEMS_MAX,
  AttentionItem,
  checkAlertsAcknowledgement,
  checkFleetAlertQuery,
  checkFleetCommandQuery,
  checkFleetDeviceQuery,
  checkFleetMissionQuery,
  checkFleetOperationQuery,
  FleetAlert,
  FleetCommand,
  FleetDevice,
  FleetMission,
  FleetOperation,
  FleetReadings,
  Overview,
  TimeZones,
} from '../fleet.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpoint } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

/** Views of all devices that the key may see, whatever their profile. */
const endpoints = {
  /** The devices are ordered by id. */
  devices: endpoint('api', 'GET', '/devices', {
    scope: 'read',
    summary: 'Lists the devices of every profile that the key may see.',
    query: checkFleetDeviceQuery,
    answers: { 200: pageOf(FleetDevice) },
    examples: [
      { summary: 'the first page' },
      {
        summary: 'the silos of one facility that are online, with their newest values',
        query: { facility: 'north', profile: 'silo_scale', status: 'online', include: 'readings' },
      },
      { summary: 'those whose id, name or model contains a text', query: { q: 'silo' } },
      { summary: 'those with a label', query: { label: 'product=wheat' } },
      { summary: 'an unknown profile', query: { profile: 'submarine' as 'rover' }, refusal: 'invalid_input' },
    ],
  }),
  /** The newest alerts come first; without a status, only open alerts that are not shelved. */
  alerts: endpoint('api', 'GET', '/alerts', {
    scope: 'read',
    summary: 'Lists the alerts of all devices, newest first.',
    query: checkFleetAlertQuery,
    answers: { 200: pageOf(FleetAlert) },
    examples: [
      { summary: 'the open alerts' },
      { summary: 'the critical ones of one facility', query: { facility: 'north', severity: 'critical' } },
      { summary: 'every alert of one type there ever was', query: { status: 'all', type: 'low_level' } },
    ],
  }),
  alertStatistics: endpoint('api', 'GET', '/alerts/statistics', {
    scope: 'read',
    summary: 'Counts how often alerts were raised, and names those that come too often or stay.',
    query: checkAlertStatisticsQuery,
    answers: { 200: one(AlertStatistics) },
    examples: [
      { summary: 'the last seven days' },
      {
        summary: 'one shift of one facility',
        query: { facility: 'north', from: '2026-11-15T06:00:00Z', to: '2026-11-15T14:00:00Z' },
      },
      {
        summary: 'more than 31 days',
        query: { from: '2025-11-15T06:00:00Z', to: '2026-11-15T14:00:00Z' },
        refusal: 'invalid_input',
      },
    ],
  }),
  acknowledgeAlerts: endpoint('api', 'POST', '/alerts/acknowledge', {
    scope: 'operate',
    summary: 'Acknowledges up to 200 alerts of any devices at once. Repeating it changes nothing.',
    body: body(checkAlertsAcknowledgement, 'acknowledgement'),
    answers: { 200: one(AcknowledgementResults) },
    examples: [
      {
        summary: 'two alerts',
        body: {
          alert_ids: ['al_019a86c5f3c07b2a', 'al_019a86c5f3c07b2b'],
          acknowledged_by: 'Ada',
          note: 'A truck is on its way.',
        },
      },
    ],
  }),
  /** The newest operations come first. */
  operations: endpoint('api', 'GET', '/operations', {
    scope: 'read',
    summary: 'Lists the operations of all silos, newest first.',
    query: checkFleetOperationQuery,
    answers: { 200: pageOf(FleetOperation) },
    examples: [
      { summary: 'every operation' },
      { summary: 'those of one zone that run', query: { zone: 'yard', status: 'in_progress' } },
    ],
  }),
  /** The newest missions come first. */
  missions: endpoint('api', 'GET', '/missions', {
    scope: 'read',
    summary: 'Lists the missions of all devices, newest first.',
    query: checkFleetMissionQuery,
    answers: { 200: pageOf(FleetMission) },
    examples: [{ summary: 'every mission' }, { summary: 'those that failed', query: { status: 'failed' } }],
  }),
  /** The newest commands come first. */
  commands: endpoint('api', 'GET', '/commands', {
    scope: 'read',
    summary: 'Lists the commands of all devices, newest first.',
    query: checkFleetCommandQuery,
    answers: { 200: pageOf(FleetCommand) },
    examples: [
      { summary: 'every command' },
      { summary: 'those of one device', query: { device_id: 'rover-3' } },
    ],
  }),
  overview: endpoint('api', 'GET', '/overview', {
    scope: 'read',
    summary: 'Counts devices, open alerts and jobs under way, and lists what needs attention.',
    answers: { 200: one(Overview) },
    examples: [{ summary: 'the overview' }],
  }),
  timeZones: endpoint('api', 'GET', '/overview/time-zones', {
    scope: 'read',
    summary: 'Shows by whose clocks times of the facilities are told.',
    answers: { 200: one(TimeZones) },
    examples: [{ summary: 'the zones of every facility' }],
  }),
};

export const fleet = {
  description: 'All devices, alerts and jobs that the key may see.',
  endpoints,
  schemas: {
    FleetDevice,
    FleetReadings,
    AttentionItem,
    Overview,
    FleetAlert,
    FleetOperation,
    FleetCommand,
    FleetMission,
    AlertsAcknowledgement,
    AcknowledgementResults,
    AlertStatistics,
    RaisedAlerts,
  },
  values: {
    ATTENTION_ITEMS_MAX,
    ALERTS_ACKNOWLEDGED_MAX,
    RAISED_PER_HOUR_ACCEPTABLE,
    RAISED_PER_HOUR_MANAGEABLE,
  },
} satisfies Slice;
