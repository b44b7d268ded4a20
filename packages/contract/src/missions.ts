import { type Static, Type } from 'typebox';
import { FAILSAFE_ACTIONS } from './configuration/field-configuration.ts';
import { PageQuery } from './envelope.ts';
import { checker, closed } from './input/schema.ts';
import { id, line } from './input/text-schemas.ts';
import { Altitude, Latitude, Longitude } from './positions.ts';
import { Timestamp } from './time.ts';

export const WAYPOINTS_MAX = 500;
const WAIT_SECONDS_MAX = 86_400;

export const WAYPOINT_ACTIONS = ['scan', 'collect_sample', 'photograph', 'wait', 'none'] as const;

/**
 * `aborted`: the device ended it early; `failed`: it could not be carried out; `missed`: it could not begin in time;
 * `cancelled`: somebody wanted it ended.
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

/** From the least to the most that is known of a waypoint. */
export const WAYPOINT_STATUSES = ['pending', 'active', 'skipped', 'failed', 'reached'] as const;

export const ACTION_RESULTS = ['failed', 'succeeded'] as const;

/**
 * Why a mission did not complete: the device refused it, reported a fault, ended it by itself, no longer knows it, or was
 * not heard of again; it did not begin in time; the device had no live session when it was to be told to start; an
 * emergency stop ended it, or kept it from beginning; somebody cancelled it.
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
] as const;

/** What somebody wants of a mission and the device has yet to confirm. */
export const MISSION_REQUESTS = ['pause', 'resume', 'cancel'] as const;

export type WaypointAction = (typeof WAYPOINT_ACTIONS)[number];
export type MissionStatus = (typeof MISSION_STATUSES)[number];
export type WaypointStatus = (typeof WAYPOINT_STATUSES)[number];
export type ActionResult = (typeof ACTION_RESULTS)[number];
export type MissionReason = (typeof MISSION_REASONS)[number];
export type MissionRequestKind = (typeof MISSION_REQUESTS)[number];

export const MissionId = id();

const MissionName = line(200);
const Amount = Type.Number({ minimum: 0 });
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);

export const Waypoint = closed({
  lat: Latitude,
  lng: Longitude,
  action: Type.Enum(WAYPOINT_ACTIONS),
  /** Where not given, the device stays as high as it is. */
  altitude: Type.Optional(Altitude),
  /** How long to stay before going on; for `wait` half a minute when not given. */
  wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: WAIT_SECONDS_MAX })),
});

export const Mission = closed({
  mission_name: MissionName,
  waypoints: Type.Array(Waypoint, { minItems: 1, maxItems: WAYPOINTS_MAX }),
  /** Now when not given. */
  scheduled_start: Type.Optional(Timestamp),
});

/** The way to one waypoint and what is done there. Batteries are in percent of a full one. */
export const Leg = closed({ distance_m: Amount, duration_s: Amount, battery: Amount });

export const Preflight = closed({
  /** From where the device was to the last waypoint. */
  distance_m: Amount,
  duration_s: Amount,
  return_distance_m: Amount,
  /** For every leg and the way back. */
  battery_required: Amount,
  battery_available: Amount,
  /** What must be left when it is back. */
  battery_reserve: Amount,
  legs: Type.Array(Leg),
});

export const WaypointRecord = closed({
  ...Waypoint.properties,
  status: Type.Enum(WAYPOINT_STATUSES),
  reached_at: TimestampOrNull,
  action_result: Type.Union([Type.Enum(ACTION_RESULTS), Type.Null()]),
});

export const MissionResult = closed({ reason: Type.Enum(MISSION_REASONS), message: Type.String() });

export const MissionRecord = closed({
  mission_id: MissionId,
  mission_name: MissionName,
  status: Type.Enum(MISSION_STATUSES),
  /** One sentence for a person: what is known, what is awaited, until when. */
  status_detail: Type.String(),
  scheduled_start: Timestamp,
  created_at: Timestamp,
  dispatched_at: TimestampOrNull,
  started_at: TimestampOrNull,
  ended_at: TimestampOrNull,
  requested: Type.Union([Type.Enum(MISSION_REQUESTS), Type.Null()]),
  /** Since when nothing has been heard of it, and what the device does by itself when it has lost the link. */
  link_lost_at: TimestampOrNull,
  link_loss_action: Type.Enum(FAILSAFE_ACTIONS),
  preflight: Preflight,
  waypoints: Type.Array(WaypointRecord),
  /** `null` as long as nothing went wrong. */
  result: Type.Union([MissionResult, Type.Null()]),
});

export const MissionQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(MISSION_STATUSES)),
});

export type Waypoint = Static<typeof Waypoint>;
export type Mission = Static<typeof Mission>;
export type Leg = Static<typeof Leg>;
export type Preflight = Static<typeof Preflight>;
export type WaypointRecord = Static<typeof WaypointRecord>;
export type MissionResult = Static<typeof MissionResult>;
export type MissionRecord = Static<typeof MissionRecord>;
export type MissionQuery = Static<typeof MissionQuery>;

export const checkMission = checker(Mission);
export const checkMissionQuery = checker(MissionQuery);
