import type { FieldConfiguration } from '@granary/contract/configuration/field-configuration';
import { type ErrorCode, Refusal, refusalMessage } from '@granary/contract/errors';
import type {
  Leg,
  Preflight,
  PreflightRequest,
  PreflightResult,
  Waypoint,
  WaypointAction,
} from '@granary/contract/missions';
import type { Point } from '@granary/contract/positions';
import { sentence } from '@granary/contract/sentences/codes';
import { inEnglish } from '@granary/contract/sentences/english';
import type { RefusalMessage } from '@granary/contract/sentences/refusals';
import type { ChannelName } from '@granary/contract/telemetry/channels';
import { checkedTimeMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';
import { refuseWhileStopped } from '../../commands/emergency-stop.ts';
import { type DeviceToMove, refuseMovement } from '../../commands/refusals.ts';
import { distanceM, isInside, staysInside } from '../../geometry.ts';
import { READING_AGE_MS_MAX } from '../../operations/interlocks.ts';
import type { LatestValue, LatestValues } from '../../sensors/sensor.ts';
import { STANDARD_SENSORS } from '../../sensors/standard-sensors.ts';
import { isBelievable } from '../../telemetry/plausibility.ts';
import { isMissionOver, type MissionPlan, type MissionState } from '../state.ts';

/** The time an action takes at its waypoint; a `wait` uses its own duration if it has one. */
const ACTION_SECONDS: Record<WaypointAction, number> = {
  scan: 30,
  collect_sample: 60,
  photograph: 5,
  wait: 30,
  none: 0,
};

const HOUR_S = HOUR_MS / SECOND_MS;

const KM_M = 1_000;

/** The caller's clock may be slow by this much. */
export const PAST_START_MS_MAX = MINUTE_MS;
export const START_AHEAD_MS_MAX = 366 * DAY_MS;
/** A mission that has not begun this long after its scheduled start is missed. */
export const START_TOLERANCE_MS = 5 * MINUTE_MS;
/** A new mission is compared with all missions that have not ended, so their number is limited. */
export const MISSIONS_AHEAD_MAX = 200;
const DETAILS_MAX = 20;

export interface FieldDeviceAtMission extends DeviceToMove {
  readonly configuration: FieldConfiguration;
  readonly latest: LatestValues;
  /** All missions of the device that have not ended. */
  readonly missions: readonly MissionState[];
}

/** Returns the plan of a mission that may be accepted now, or throws the first refusal. */
export function planMission(
  request: PreflightRequest,
  device: FieldDeviceAtMission,
  nowMs: number,
): MissionPlan {
  const { configuration, latest } = device;
  const startAtMs = startOf(request, nowMs);
  refuseWhileStopped(device.commands);
  if (startAtMs <= nowMs) refuseUnready(device, nowMs);
  const place = placeOf(latest);
  const { preflight, durationS } = estimateMission(
    request.waypoints,
    place,
    configuration,
    batteryOf(latest),
  );
  const busyMs = Math.ceil(durationS * SECOND_MS);
  const endAtMs = startAtMs + busyMs;
  if (device.missions.some((mission) => overlaps(mission, startAtMs, endAtMs, nowMs))) {
    refuse('mission_in_progress', sentence('mission_at_that_time'));
  }
  refuseOutside(request.waypoints, place, configuration);
  if (!isFeasible(preflight)) refuseInfeasible(preflight);
  if (device.missions.length >= MISSIONS_AHEAD_MAX) {
    refuse('mission_in_progress', sentence('missions_ahead', { count: device.missions.length }));
  }
  return {
    waypoints: request.waypoints,
    startAtMs,
    expiresAtMs: startAtMs + START_TOLERANCE_MS,
    busyMs,
    linkLossAction: configuration.failsafe.link_loss_action,
    preflight,
  };
}

/** The estimate of a mission, even of a refused one, and its refusal. */
export function previewMission(
  request: PreflightRequest,
  device: FieldDeviceAtMission,
  shiftMs: number,
  nowMs: number,
): PreflightResult {
  try {
    const { preflight } = planMission(request, device, nowMs);
    return { preflight, refusal: null, warnings: warningsOf(preflight, shiftMs) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, details = [] } = error;
    const refusal = { code, ...refusalMessage(error), details: [...details] };
    const preflight = estimateOf(request, device);
    return { preflight, refusal, warnings: warningsOf(preflight, shiftMs) };
  }
}

const warningsOf = (preflight: Preflight | null, shiftMs: number): PreflightResult['warnings'] =>
  preflight !== null && preflight.duration_s * SECOND_MS > shiftMs ? ['longer_than_shift'] : [];

/** `null` if the position or the battery is not known. */
function estimateOf({ waypoints }: PreflightRequest, device: FieldDeviceAtMission): Preflight | null {
  const { latitude, longitude, altitude, battery_level } = device.latest;
  const [lat, lng] = [plausibleOrNull('latitude', latitude), plausibleOrNull('longitude', longitude)];
  const battery = plausibleOrNull('battery_level', battery_level);
  if (lat === null || lng === null || battery === null) return null;
  const place = { lat, lng, altitude: plausibleOrNull('altitude', altitude) };
  return estimateMission(waypoints, place, device.configuration, battery).preflight;
}

function startOf({ scheduled_start }: PreflightRequest, nowMs: number): number {
  if (scheduled_start === undefined) return nowMs;
  const startAtMs = checkedTimeMs(scheduled_start);
  if (startAtMs < nowMs - PAST_START_MS_MAX) refuseStart('start_in_the_past', 'lies in the past');
  if (startAtMs > nowMs + START_AHEAD_MS_MAX)
    refuseStart('start_too_far_ahead', 'lies more than a year ahead');
  return startAtMs;
}

function refuseStart(code: 'start_in_the_past' | 'start_too_far_ahead', message: string): never {
  return refuse('invalid_input', sentence(code), [{ path: '/scheduled_start', message }]);
}

/** A mission that begins now needs a reachable device with fresh readings; a later one does not yet. */
function refuseUnready(device: FieldDeviceAtMission, nowMs: number): void {
  const { latest } = device;
  refuseMovement(device, nowMs);
  for (const channel of ['latitude', 'longitude', 'battery_level'] as const) {
    const ageMs = nowMs - (latest[channel]?.tsMs ?? nowMs);
    if (ageMs > READING_AGE_MS_MAX) {
      refuse(
        'reading_stale',
        sentence('reading_is_old', { sensor: channel, age: Math.round(ageMs / SECOND_MS) }),
      );
    }
  }
}

function placeOf({ latitude, longitude, altitude }: LatestValues): Place {
  return {
    lat: requiredValue('latitude', latitude),
    lng: requiredValue('longitude', longitude),
    altitude: plausibleOrNull('altitude', altitude),
  };
}

const batteryOf = ({ battery_level }: LatestValues): number => requiredValue('battery_level', battery_level);

function plausibleOrNull(channel: ChannelName, latest: LatestValue | undefined): number | null {
  if (latest === undefined) return null;
  const sensor = STANDARD_SENSORS[channel];
  return isBelievable(sensor, latest) ? latest.value / sensor.scale : null;
}

function requiredValue(channel: ChannelName, latest: LatestValue | undefined): number {
  return (
    plausibleOrNull(channel, latest) ??
    refuse('reading_stale', sentence('reading_missing', { sensor: channel }))
  );
}

/** A mission that runs past its planned end still occupies the device. */
function overlaps(mission: MissionState, startAtMs: number, endAtMs: number, nowMs: number): boolean {
  if (isMissionOver(mission)) return false;
  const { plan, status } = mission;
  const plannedEndMs = plan.startAtMs + plan.busyMs;
  const otherEndMs = status === 'scheduled' ? plannedEndMs : Math.max(plannedEndMs, nowMs + 1);
  return startAtMs < otherEndMs && plan.startAtMs < endAtMs;
}

function refuseOutside(
  waypoints: readonly Waypoint[],
  place: Place,
  { geofence, base }: FieldConfiguration,
): void {
  if (geofence === null) return;
  const outside = waypoints.flatMap((waypoint, index) => (isInside(geofence, waypoint) ? [] : [index]));
  if (outside.length > 0) {
    const [waypoint = 0] = outside;
    const told =
      outside.length === 1
        ? sentence('waypoint_outside_fence', { waypoint })
        : sentence('waypoints_outside_fence', { count: outside.length });
    const details = outside.slice(0, DETAILS_MAX).map((index) => ({
      path: `/waypoints/${index}`,
      message: 'lies outside the geofence',
    }));
    refuse('outside_geofence', told, details);
  }
  // A device outside the fence may drive into it; the base is always inside.
  const start = isInside(geofence, place) ? [place] : [];
  const home = base === null ? start : [{ lat: base.latitude, lng: base.longitude }];
  const route = [...start, ...waypoints, ...home];
  const leaving = route.findIndex((point, index) => !staysInside(geofence, route[index - 1] ?? point, point));
  if (leaving < 0) return;
  const message = 'cannot be reached, or left, without leaving the geofence';
  const index = Math.min(leaving - start.length, waypoints.length - 1);
  refuse('outside_geofence', sentence('waypoint_not_reachable', { waypoint: index }), [
    { path: `/waypoints/${index}`, message },
  ]);
}

function refuseInfeasible({
  battery_required,
  battery_available,
  battery_reserve,
  ...way
}: Preflight): never {
  const told = sentence('battery_not_enough', {
    required: battery_required,
    distance: way.distance_m,
    back: way.return_distance_m,
    reserve: battery_reserve,
    available: battery_available,
  });
  return refuse('mission_infeasible', told, [{ path: '/waypoints', message: inEnglish(told) }]);
}

function refuse(code: ErrorCode, message: RefusalMessage, details?: Refusal['details']): never {
  throw new Refusal(code, message, details);
}

/**
 * The mission of a device whose base was removed. A mission that was not sent yet gets the action to hold when the link is
 * lost. The device already has the others and would return to a base that it no longer knows, so the removal is refused.
 */
export function withoutBase(mission: MissionState): MissionState {
  const { plan, status } = mission;
  if (plan.linkLossAction !== 'return_to_base' || isMissionOver(mission)) return mission;
  if (status === 'scheduled') return { ...mission, plan: { ...plan, linkLossAction: 'hold' } };
  return refuse('no_base', sentence('base_used_by_mission'));
}

/** A position; without an altitude the device keeps the altitude it has. */
interface Place extends Point {
  readonly altitude: number | null;
}

interface Effort {
  readonly distanceM: number;
  readonly durationS: number;
  readonly battery: number;
}

interface Flight {
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
