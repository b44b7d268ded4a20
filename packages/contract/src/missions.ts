import { type Static, Type } from 'typebox';
import { OptionalActor } from './audit.ts';
import { FAILSAFE_ACTIONS } from './configuration/field-configuration.ts';
import { DeclaredEndOrNull } from './declared-end.ts';
import { PageQuery } from './envelope.ts';
import { ERROR_CODES } from './errors.ts';
import { MissionId } from './ids.ts';
import { checker, closed, described } from './input/schema.ts';
import { shownName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { Altitude, Latitude, Longitude } from './positions.ts';
import { messageFields, REFUSAL_FIELDS, statusFields } from './sentence-fields.ts';
import { MISSION_DETAILS } from './sentences/jobs.ts';
import { PARTS } from './sentences/parts.ts';

export const WAYPOINTS_MAX = 500;
const WAIT_SECONDS_MAX = 86_400;
export const WAYPOINT_ACTIONS = ['scan', 'collect_sample', 'photograph', 'wait', 'none'] as const;
/** The statuses in the order in which a waypoint advances. */
export const WAYPOINT_STATUSES = ['pending', 'active', 'skipped', 'failed', 'reached'] as const;
export const ACTION_RESULTS = ['failed', 'succeeded'] as const;
/**
 * `aborted`: the device ended the mission early; `failed`: it could not be carried out; `missed`: it could not begin in time;
 * `cancelled`: a caller requested its end.
 */
export const MISSION_STATUSES = [
  'scheduled',
  'dispatched',
  'in_progress',
  'paused',
  'completed',
  'aborted',
  'failed',
  'missed',
  'cancelled',
] as const;
/**
 * Why a mission did not complete: the device refused it, reported a fault, ended it by itself, no longer knows it, or was
 * silent for too long; it did not begin in time; the device had no live session when the start was to be sent; an emergency
 * stop ended it or prevented its start; a caller cancelled it; a person declared it ended, because the device did not report
 * its end.
 */
export const MISSION_REASONS = [
  'refused',
  'device_fault',
  'ended_by_device',
  'forgotten',
  'lost',
  'not_started',
  'not_sent',
  'emergency_stop',
  'emergency_stop_active',
  'cancelled',
  'declared_ended',
] as const;
/** A request for a mission that the device has not confirmed yet. */
export const MISSION_REQUESTS = ['pause', 'resume', 'cancel'] as const;

export type WaypointAction = (typeof WAYPOINT_ACTIONS)[number];
export type WaypointStatus = (typeof WAYPOINT_STATUSES)[number];
export type ActionResult = (typeof ACTION_RESULTS)[number];

export const Waypoint = closed({
  lat: Latitude,
  lng: Longitude,
  action: Type.Enum(WAYPOINT_ACTIONS),
  altitude: Type.Optional(described('Without it the device keeps its altitude.', Altitude)),
  wait_seconds: Type.Optional(
    described(
      'How long to stay at the waypoint; 30 seconds for `wait` when not given.',
      Type.Number({ minimum: 0, maximum: WAIT_SECONDS_MAX }),
    ),
  ),
});

export type Waypoint = Static<typeof Waypoint>;

export type MissionStatus = (typeof MISSION_STATUSES)[number];
export type MissionReason = (typeof MISSION_REASONS)[number];
export type MissionRequestKind = (typeof MISSION_REQUESTS)[number];

const MissionName = shownName(200);
const Amount = Type.Number({ minimum: 0 });
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);

export const Mission = closed({
  mission_name: MissionName,
  waypoints: Type.Array(Waypoint, { minItems: 1, maxItems: WAYPOINTS_MAX }),
  scheduled_start: Type.Optional(described('The mission begins now when it is not given.', Timestamp)),
});

/** The way to one waypoint and the action there; batteries are in percent of a full battery. */
export const Leg = closed({ distance_m: Amount, duration_s: Amount, battery: Amount });

export const Preflight = closed({
  distance_m: described('From the present position to the last waypoint.', Amount),
  duration_s: Amount,
  return_distance_m: Amount,
  battery_required: described('The sum of every leg and the way back.', Amount),
  battery_available: Amount,
  battery_reserve: described('The charge that must remain after the way back.', Amount),
  legs: Type.Array(Leg),
});

/** A mission that is only planned; it needs no name yet. */
export const PreflightRequest = closed({
  waypoints: Mission.properties.waypoints,
  scheduled_start: Mission.properties.scheduled_start,
});

const PreflightRefusal = closed({
  code: Type.Enum([...ERROR_CODES]),
  ...REFUSAL_FIELDS,
  details: Type.Array(closed({ path: Type.String(), message: Type.String() })),
});

export const MISSION_WARNINGS = ['longer_than_shift'] as const;

export const PreflightResult = closed({
  preflight: described(
    '`null` while the position or the battery of the device is not known.',
    Type.Union([Preflight, Type.Null()]),
  ),
  refusal: described(
    'Why the mission would be refused now; `null` where it would be accepted.',
    Type.Union([PreflightRefusal, Type.Null()]),
  ),
  warnings: described(
    'Why a person should look twice before it is started: it takes longer than a shift.',
    Type.Array(Type.Enum(MISSION_WARNINGS)),
  ),
});

export const WaypointRecord = closed({
  ...Waypoint.properties,
  status: Type.Enum(WAYPOINT_STATUSES),
  reached_at: TimestampOrNull,
  action_result: Type.Union([Type.Enum(ACTION_RESULTS), Type.Null()]),
});

export const MissionResult = closed({ reason: Type.Enum(MISSION_REASONS), ...messageFields(PARTS) });

export const MissionRecord = closed({
  mission_id: MissionId,
  mission_name: MissionName,
  status: Type.Enum(MISSION_STATUSES),
  ...statusFields(MISSION_DETAILS),
  scheduled_start: Timestamp,
  created_at: Timestamp,
  dispatched_at: TimestampOrNull,
  started_at: TimestampOrNull,
  ended_at: TimestampOrNull,
  requested: Type.Union([Type.Enum(MISSION_REQUESTS), Type.Null()]),
  link_lost_at: described(
    'Since when the device has been silent; `link_loss_action` is what it does then.',
    TimestampOrNull,
  ),
  link_loss_action: Type.Enum(FAILSAFE_ACTIONS),
  preflight: Preflight,
  waypoints: Type.Array(WaypointRecord),
  result: described('`null` unless the mission did not complete.', Type.Union([MissionResult, Type.Null()])),
  declared: described('`null` unless a person declared the mission ended.', DeclaredEndOrNull),
  requested_by: described('Who asked for it; `null` before there was an audit log.', OptionalActor),
  cancelled_by: described('The caller who cancelled it.', OptionalActor),
});

export const MissionQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(MISSION_STATUSES)),
});

export type Mission = Static<typeof Mission>;
export type Leg = Static<typeof Leg>;
export type Preflight = Static<typeof Preflight>;
export type PreflightRequest = Static<typeof PreflightRequest>;
export type PreflightResult = Static<typeof PreflightResult>;
export type WaypointRecord = Static<typeof WaypointRecord>;
export type MissionResult = Static<typeof MissionResult>;
export type MissionRecord = Static<typeof MissionRecord>;
export type MissionQuery = Static<typeof MissionQuery>;

export const checkMission = checker(Mission);
export const checkPreflightRequest = checker(PreflightRequest);
export const checkMissionQuery = checker(MissionQuery);

const Count = Type.Integer({ minimum: 0 });

const { mission_id, status, scheduled_start, requested, link_lost_at, result } = MissionRecord.properties;

/** The change has no waypoints, because a mission may have 500 of them. */
export const MissionChange = closed({
  mission_id,
  status,
  previous_status: described('`null` for a new mission.', Type.Union([status, Type.Null()])),
  scheduled_start,
  requested,
  link_lost_at,
  result,
});

const { status: waypointStatus, reached_at, action_result } = WaypointRecord.properties;

export const WaypointsChange = closed({
  mission_id,
  status,
  waypoints_reached: Count,
  waypoints_total: Count,
  waypoints_changed: Count,
  waypoints: described(
    'The first ten of the changed ones; `index` counts from 0.',
    Type.Array(closed({ index: Count, status: waypointStatus, reached_at, action_result })),
  ),
});
