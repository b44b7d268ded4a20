import type { FailsafeAction } from '@granary/contract/configuration/field-configuration';
import { SECOND_MS } from '@granary/contract/time';
import type { ReceivedConfiguration } from '../received-configuration.ts';
import { isEmpty, spend } from '../vehicle/chassis.ts';
import { type Course, drive, isAirborne, isAt, placeAt, type Vehicle } from '../vehicle/drive.ts';
import { apartM, isWithin, type Place, type PlanePoint, planePointOf, surfaceM } from '../vehicle/ground.ts';
import { isDone, nextStop, pauseRun, proceedRun, WORK_MS } from './mission-machine.ts';
import {
  dropHeld,
  endMission,
  endStartedMission,
  endTask,
  isStanding,
  isUnderWay,
  type Pilot,
  type Task,
} from './pilot.ts';

/** A connection that is restored within this time does not count as lost. */
export const LINK_LOSS_AFTER_MS = 5 * SECOND_MS;

/** Movement is computed in steps of this length. */
const STEP_MS = 100;
/** The distance from the base within which a device is charged. */
const CHARGING_M = 2;
const SAMPLE_KG = 0.5;

export interface Conditions {
  readonly linkLostSinceMs: number | null;
  readonly skipsWaypoints: boolean;
}

/** Advances a device in time; a clock that was set back causes no movement. */
export function advance(vehicle: Vehicle, before: Pilot, nowMs: number, conditions: Conditions): Pilot {
  let pilot = before;
  while (isMoving(vehicle, pilot) && pilot.body.timeMs < nowMs) {
    const elapsedMs = Math.min(STEP_MS, nowMs - pilot.body.timeMs);
    pilot = step(vehicle, pilot, elapsedMs, conditions);
  }
  return rest(vehicle, pilot, nowMs);
}

/** The device carries out a job, is in the air, or is still braking. */
export const isMoving = (vehicle: Vehicle, pilot: Pilot): boolean =>
  isUnderWay(pilot) || pilot.task !== null || pilot.body.speedMS > 0 || isAirborne(vehicle, pilot.body);

/** Lets time pass at rest: only the battery changes; at the base it is charged and the collected samples are removed. */
function rest(vehicle: Vehicle, pilot: Pilot, nowMs: number): Pilot {
  const { body } = pilot;
  const elapsedMs = Math.max(0, nowMs - body.timeMs);
  const isCharging = !isMoving(vehicle, pilot) && apartM(body, baseSpot(vehicle, pilot)) <= CHARGING_M;
  const spent = spend(vehicle.chassis, body, { movedM: 0, elapsedMs, isActive: false, isCharging });
  return { ...pilot, body: { ...spent, payloadKg: isCharging ? 0 : spent.payloadKg, timeMs: nowMs } };
}

function baseSpot({ ground }: Vehicle, { configuration }: Pilot): PlanePoint {
  const base = configuration?.base ?? null;
  return base === null
    ? { eastM: 0, northM: 0 }
    : planePointOf(ground, { lat: base.latitude, lng: base.longitude });
}

function step(vehicle: Vehicle, before: Pilot, elapsedMs: number, conditions: Conditions): Pilot {
  const safe = applyFailsafe(vehicle, before, conditions.linkLostSinceMs);
  const course = courseOf(vehicle, safe);
  const from = safe.body;
  const to = isEmpty(from) ? from : drive(vehicle, from, course, elapsedMs / SECOND_MS);
  const movedM = Math.hypot(apartM(from, to), to.altitudeM - from.altitudeM);
  const spent = spend(vehicle.chassis, to, { movedM, elapsedMs, isActive: true, isCharging: false });
  const moved = { ...safe, body: { ...spent, timeMs: from.timeMs + elapsedMs } };
  if (isEmpty(moved.body)) return stopWithEmptyBattery(vehicle, moved);
  const isThere = course.target !== null && isAt(moved.body, course.target);
  return work(moved, isThere, elapsedMs, conditions.skipsWaypoints);
}

/** With an empty battery every job fails, except one that only asks the device to stand still; a drone is on the ground. */
function stopWithEmptyBattery({ ground }: Vehicle, pilot: Pilot): Pilot {
  const reason = 'battery empty';
  const { task, body } = pilot;
  const ended =
    task !== null && isStanding(task) ? endTask(pilot, 'succeeded') : endTask(pilot, 'failed', reason);
  const failed = endStartedMission(ended, 'failed', reason);
  return {
    ...failed,
    isReturningHome: false,
    body: { ...body, speedMS: 0, altitudeM: surfaceM(ground, body) },
  };
}

function courseOf(vehicle: Vehicle, pilot: Pilot): Course {
  const { chassis } = vehicle;
  return {
    target: targetOf(vehicle, pilot),
    speedMSMax: pilot.configuration?.motion.speed_m_s ?? chassis.speedMS,
    isEmergency: pilot.task?.command.name === 'emergency_stop',
  };
}

function targetOf(vehicle: Vehicle, pilot: Pilot): Place | null {
  const { task, mission, isReturningHome, body } = pilot;
  const { ground } = vehicle;
  if (isReturningHome || task?.command.name === 'return_to_base') {
    const spot = baseSpot(vehicle, pilot);
    return placeAt(vehicle, body, spot, surfaceM(ground, spot));
  }
  if (task !== null) {
    const { parameters } = task.command;
    if (!('latitude' in parameters)) return null;
    const { latitude: lat, longitude: lng, altitude } = parameters;
    return placeAt(vehicle, body, planePointOf(ground, { lat, lng }), altitude);
  }
  const stop = mission === null ? undefined : nextStop(mission);
  return stop === undefined
    ? null
    : placeAt(vehicle, body, planePointOf(ground, stop), stop.altitude ?? null);
}

/** The effect of the elapsed time at a waypoint, or on a command. */
function work(pilot: Pilot, isThere: boolean, elapsedMs: number, skipsWaypoints: boolean): Pilot {
  const { task, mission, isReturningHome, body } = pilot;
  if (isReturningHome) return { ...pilot, isReturningHome: !isThere };
  if (task !== null) return performAction(pilot, task, isThere, elapsedMs);
  if (mission === null || mission.state !== 'running') return pilot;
  const run = proceedRun(mission, { isThere, elapsedMs, nowMs: body.timeMs, skipsWaypoints });
  const isSampled =
    run.index > mission.index && mission.upload.waypoints[mission.index]?.action === 'collect_sample';
  const proceeded = { ...(isSampled ? loaded(pilot) : pilot), mission: run };
  return isDone(run) ? endMission(proceeded, 'completed') : proceeded;
}

function performAction(pilot: Pilot, task: Task, isThere: boolean, elapsedMs: number): Pilot {
  const workedMs = task.workedMs + elapsedMs;
  switch (task.command.name) {
    case 'move_to_coordinates':
    case 'return_to_base':
      if (isThere) return endTask(pilot, 'succeeded');
      break;
    case 'hold':
    case 'emergency_stop':
      if (pilot.body.speedMS === 0) return endTask(pilot, 'succeeded');
      break;
    case 'scan':
      if (workedMs >= WORK_MS.scan) return endTask(pilot, 'succeeded');
      break;
    case 'collect_sample':
      if (workedMs >= WORK_MS.collect_sample) return endTask(loaded(pilot), 'succeeded');
      break;
    case 'resume':
      break;
  }
  return { ...pilot, task: { ...task, workedMs } };
}

const loaded = (pilot: Pilot): Pilot => ({
  ...pilot,
  body: { ...pilot.body, payloadKg: pilot.body.payloadKg + SAMPLE_KG },
});

interface FailsafeTrigger {
  readonly reason: string;
  readonly action: FailsafeAction;
}

/**
 * Applies the failsafe actions of the configuration while the device is under way or in the air. A return to base
 * continues; nothing begins while an emergency stop is in force.
 */
function applyFailsafe(vehicle: Vehicle, pilot: Pilot, linkLostSinceMs: number | null): Pilot {
  const isGoingHome = pilot.isReturningHome || pilot.task?.command.name === 'return_to_base';
  if (pilot.isStopped || isGoingHome || !(isUnderWay(pilot) || isAirborne(vehicle, pilot.body))) return pilot;
  const emergency = failsafeTriggers(vehicle, pilot, linkLostSinceMs).find(
    ({ action }) => action !== 'continue',
  );
  if (emergency === undefined) return pilot;
  const { action, reason } = emergency;
  return action === 'hold' ? holdFor(pilot, reason) : returnHomeFor(pilot, reason);
}

function failsafeTriggers(vehicle: Vehicle, pilot: Pilot, linkLostSinceMs: number | null): FailsafeTrigger[] {
  const { configuration, mission, body } = pilot;
  const found: FailsafeTrigger[] = [];
  if (configuration !== null) {
    const { failsafe, thresholds } = configuration;
    if (body.batteryPercent < thresholds.low_battery) {
      found.push({ reason: 'low battery', action: failsafe.low_battery_action });
    }
    if (isOutside(vehicle, pilot, configuration)) {
      found.push({ reason: 'outside the geofence', action: failsafe.geofence_breach_action });
    }
  }
  if (linkLostSinceMs !== null && body.timeMs - linkLostSinceMs >= LINK_LOSS_AFTER_MS) {
    const declared = configuration?.failsafe.link_loss_action ?? 'hold';
    const isOnMission = mission !== null && mission.state !== 'uploaded';
    const action = isOnMission ? mission.upload.link_loss_action : declared;
    found.push({ reason: 'link lost', action });
  }
  return found;
}

function isOutside({ ground }: Vehicle, { body }: Pilot, { geofence }: ReceivedConfiguration): boolean {
  return (
    geofence !== null &&
    !isWithin(
      geofence.map((point) => planePointOf(ground, point)),
      body,
    )
  );
}

/** Holds the device where it is until it gets a command, even if the reason no longer applies. */
function holdFor(pilot: Pilot, reason: string): Pilot {
  const { mission } = pilot;
  const paused = { ...pilot, mission: mission === null ? null : pauseRun(mission, reason) };
  return endTask(paused, 'failed', reason);
}

function returnHomeFor(pilot: Pilot, reason: string): Pilot {
  const free = endStartedMission(pilot, 'aborted', reason);
  return { ...dropHeld(endTask(free, 'failed', reason), reason), isReturningHome: true };
}
