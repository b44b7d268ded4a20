import { checkEndDeclaration } from '../declared-end.ts';
import type { ErrorCode } from '../errors.ts';
import { MissionId } from '../ids.ts';
import {
  checkMission,
  checkMissionQuery,
  checkPreflightRequest,
  Leg,
  MISSION_STATUSES,
  Mission,
  MissionChange,
  MissionRecord,
  type MissionRequestKind,
  MissionResult,
  Preflight,
  PreflightRequest,
  PreflightResult,
  WAYPOINT_ACTIONS,
  WAYPOINTS_MAX,
  Waypoint,
  WaypointRecord,
  WaypointsChange,
} from '../missions.ts';
import { one, pageOf } from './declaration/answers.ts';
import { body, endpointsWith } from './declaration/endpoint.ts';
import type { Slice } from './declaration/slice.ts';

const endpoint = endpointsWith({
  mission_id: {
    schema: MissionId,
    description: 'the id of a mission',
    notFound: 'mission_not_found',
    example: 'ms_019a86c5f3c07b2a',
  },
});

const MOVEMENT_REFUSALS: readonly ErrorCode[] = [
  'device_offline',
  'device_in_maintenance',
  'emergency_stop_active',
];

const controlEndpoint = <Control extends MissionRequestKind>(
  control: Control,
  summary: string,
  more: readonly ErrorCode[] = [],
) =>
  endpoint('field', 'POST', `/devices/{device_id}/missions/{mission_id}/${control}`, {
    scope: 'operate',
    summary,
    answers: { 200: one(MissionRecord) },
    errors: ['mission_not_running', ...MOVEMENT_REFUSALS, ...more],
    examples: [{ summary: 'a mission' }],
  });

const endpoints = {
  create: endpoint('field', 'POST', '/devices/{device_id}/missions', {
    number: 16,
    scope: 'operate',
    summary: 'Creates a mission if the way, the battery and the other missions of the device allow it.',
    body: body(checkMission, 'mission'),
    answers: { 200: one(MissionRecord) },
    errors: [
      'confirmation_required',
      'not_supported',
      ...MOVEMENT_REFUSALS,
      'reading_stale',
      'mission_in_progress',
      'outside_geofence',
      'mission_infeasible',
    ],
    examples: [
      {
        summary: 'two waypoints, now',
        body: {
          mission_name: 'Soil samples',
          waypoints: [
            { lat: 48.2001, lng: 16.3, action: 'scan' },
            { lat: 48.2, lng: 16.3001, action: 'collect_sample' },
          ],
        },
      },
      {
        summary: 'tomorrow',
        body: {
          mission_name: 'Soil samples',
          waypoints: [{ lat: 48.2001, lng: 16.3, action: 'wait', wait_seconds: 60 }],
          scheduled_start: '2026-11-16T06:00:00Z',
        },
      },
      {
        summary: 'farther than the battery lasts',
        body: { mission_name: 'Too far', waypoints: [{ lat: 47, lng: 16.3, action: 'none' }] },
        refusal: 'mission_infeasible',
      },
    ],
  }),
  /** Changes nothing; the mission is decided again by the facts at its creation. */
  preflight: endpoint('field', 'POST', '/devices/{device_id}/missions/preflight', {
    scope: 'read',
    isAudited: false,
    summary: 'Shows what a mission would need and whether it would be refused now; nothing is created.',
    body: body(checkPreflightRequest, 'mission'),
    answers: { 200: one(PreflightResult) },
    errors: ['not_supported'],
    examples: [
      {
        summary: 'a mission that begins now',
        body: { waypoints: [{ lat: 48.2001, lng: 16.3, action: 'scan' }] },
      },
      {
        summary: 'farther than the battery lasts',
        body: { waypoints: [{ lat: 47, lng: 16.3, action: 'none' }] },
      },
    ],
  }),
  get: endpoint('field', 'GET', '/devices/{device_id}/missions/{mission_id}', {
    scope: 'read',
    summary: 'Shows how a mission stands, waypoint by waypoint.',
    answers: { 200: one(MissionRecord) },
    examples: [
      { summary: 'a mission' },
      { summary: 'an unknown mission', parameters: { mission_id: 'ms_none' }, refusal: 'mission_not_found' },
    ],
  }),
  /** The request may be repeated, as for `pause` and `resume`; the status says when the mission has ended. */
  cancel: controlEndpoint('cancel', 'Ends a mission.'),
  pause: controlEndpoint(
    'pause',
    'Has the device stop at the mission it is carrying out, until it is resumed.',
  ),
  resume: controlEndpoint('resume', 'Has the device go on with a paused mission.', ['confirmation_required']),
  /** Possible only while the outcome is uncertain; a repetition answers the same record. */
  declareEnded: endpoint('field', 'POST', '/devices/{device_id}/missions/{mission_id}/declare-ended', {
    scope: 'admin',
    summary:
      'Records that a person has looked and that a mission is over, although the device did not report it.',
    body: body(checkEndDeclaration, 'declaration'),
    answers: { 200: one(MissionRecord) },
    errors: ['cannot_declare_ended', 'confirmation_required'],
    examples: [
      {
        summary: 'a mission of a device that is gone',
        body: { reason: 'the rover was towed home', looked_by: 'Ada Lovelace' },
      },
    ],
  }),
  /** The newest missions come first. */
  list: endpoint('field', 'GET', '/devices/{device_id}/missions', {
    scope: 'read',
    summary: 'Lists the missions of a field device, newest first.',
    query: checkMissionQuery,
    answers: { 200: pageOf(MissionRecord) },
    examples: [
      { summary: 'every mission' },
      { summary: 'those that were missed', query: { status: 'missed' } },
    ],
  }),
};

export const missions = {
  description: 'Drives of a field device along waypoints.',
  endpoints,
  schemas: {
    Waypoint,
    Mission,
    MissionRecord,
    Leg,
    MissionResult,
    Preflight,
    PreflightRequest,
    PreflightResult,
    WaypointRecord,
    MissionChange,
    WaypointsChange,
  },
  events: {
    'mission.status_changed': MissionChange,
    'mission.waypoint_changed': WaypointsChange,
    'mission.updated': MissionChange,
  },
  values: { WAYPOINTS_MAX, WAYPOINT_ACTIONS, MISSION_STATUSES },
} satisfies Slice;
