import { type Static, Type } from 'typebox';
import { closed } from '../input/closed.ts';
import { described } from '../input/described.ts';
import { Altitude, Latitude, Longitude } from '../positions.ts';

export const WAYPOINTS_MAX = 500;
const WAIT_SECONDS_MAX = 86_400;

export const WAYPOINT_ACTIONS = ['scan', 'collect_sample', 'photograph', 'wait', 'none'] as const;

/** In the order in which a waypoint advances. */
export const WAYPOINT_STATUSES = ['pending', 'active', 'skipped', 'failed', 'reached'] as const;

export const ACTION_RESULTS = ['failed', 'succeeded'] as const;

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
