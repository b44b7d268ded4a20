import { MINUTE_MS } from '@granary/contract/time';
import type { MissionPlan } from '@granary/core/missions/state';

export const START_MS = 1_000_000_000_000;

/** Two waypoints, of which the vehicle scans at the first. */
export const TWO_WAYPOINT_PLAN: MissionPlan = {
  waypoints: [
    { lat: 1, lng: 2, action: 'scan' },
    { lat: 1, lng: 2.001, action: 'none', altitude: 10 },
  ],
  startAtMs: START_MS,
  expiresAtMs: START_MS + 5 * MINUTE_MS,
  busyMs: 20 * MINUTE_MS,
  linkLossAction: 'hold',
  preflight: {
    distance_m: 222,
    duration_s: 178,
    return_distance_m: 111,
    battery_required: 2,
    battery_available: 90,
    battery_reserve: 20,
    legs: [],
  },
};
