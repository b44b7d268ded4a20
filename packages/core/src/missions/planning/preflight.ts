import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import type { Leg, Preflight } from '@granary/contract/missions/missions';
import type { Waypoint, WaypointAction } from '@granary/contract/missions/waypoints';
import type { Point } from '@granary/contract/positions';
import { HOUR_MS, SECOND_MS } from '@granary/contract/time';
import { distanceM } from '../../geometry/geodesy.ts';

/** The time an action takes at its waypoint; a `wait` uses its own duration if it has one. */
export const ACTION_SECONDS: Record<WaypointAction, number> = {
  scan: 30,
  collect_sample: 60,
  photograph: 5,
  wait: 30,
  none: 0,
};

const HOUR_S = HOUR_MS / SECOND_MS;
const KM_M = 1_000;

/** A position; without an altitude the device keeps the altitude it has. */
export interface Place extends Point {
  readonly altitude: number | null;
}

interface Effort {
  readonly distanceM: number;
  readonly durationS: number;
  readonly battery: number;
}

export interface Flight {
  readonly preflight: Preflight;
  /** The whole duration, including the way back. */
  readonly durationS: number;
}

/** Distance, duration and battery use of a mission, from the speeds and consumption in the device's configuration. */
export function estimateMission(
  waypoints: readonly Waypoint[],
  start: Place,
  { base, motion, battery }: FieldConfiguration,
  batteryAvailable: number,
): Flight {
  const effortOf = (from: Place, to: Place, stayS: number): Effort => {
    const climbM = to.altitude === null || from.altitude === null ? 0 : to.altitude - from.altitude;
    const wayM = Math.hypot(distanceM(from, to), climbM);
    const durationS = wayM / motion.speed_m_s + stayS;
    const used = (wayM / KM_M) * battery.percent_per_km + (durationS / HOUR_S) * battery.percent_per_hour;
    return { distanceM: wayM, durationS, battery: used };
  };
  const efforts: Effort[] = [];
  let place = start;
  for (const { lat, lng, altitude, ...task } of waypoints) {
    const next = { lat, lng, altitude: altitude ?? place.altitude };
    efforts.push(effortOf(place, next, staySeconds(task)));
    place = next;
  }
  const home = base === null ? start : { lat: base.latitude, lng: base.longitude, altitude: base.altitude };
  const wayBack = effortOf(place, home, 0);
  const total = efforts.reduce(plus);
  return {
    preflight: {
      distance_m: centi(total.distanceM),
      duration_s: centi(total.durationS),
      return_distance_m: centi(wayBack.distanceM),
      battery_required: centi(total.battery + wayBack.battery),
      battery_available: centi(batteryAvailable),
      battery_reserve: battery.reserve_percent,
      legs: efforts.map(asLeg),
    },
    durationS: total.durationS + wayBack.durationS,
  };
}

export const isFeasible = ({ battery_required, battery_available, battery_reserve }: Preflight): boolean =>
  battery_required + battery_reserve <= battery_available;

const staySeconds = ({ action, wait_seconds }: Pick<Waypoint, 'action' | 'wait_seconds'>): number =>
  action === 'wait' ? (wait_seconds ?? ACTION_SECONDS.wait) : ACTION_SECONDS[action] + (wait_seconds ?? 0);

const plus = (a: Effort, b: Effort): Effort => ({
  distanceM: a.distanceM + b.distanceM,
  durationS: a.durationS + b.durationS,
  battery: a.battery + b.battery,
});

const asLeg = (effort: Effort): Leg => ({
  distance_m: centi(effort.distanceM),
  duration_s: centi(effort.durationS),
  battery: centi(effort.battery),
});

/** Two decimals are more precise than any of the inputs. */
const centi = (value: number): number => Math.round(value * 100) / 100;
