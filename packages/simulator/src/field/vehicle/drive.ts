import type { Chassis, RoverBody } from './chassis.ts';
import {
  ahead,
  apartM,
  bearingDegrees,
  type Ground,
  type Place,
  type PlanePoint,
  surfaceM,
  turnDegrees,
} from './ground.ts';

/** A chassis and the ground it moves on. */
export interface Vehicle {
  readonly chassis: Chassis;
  readonly ground: Ground;
}

/** The target and the speed limit; without a target the device stops. */
export interface Course {
  readonly target: Place | null;
  readonly speedMSMax: number;
  readonly isEmergency: boolean;
}

/** A deviation of the heading up to this is corrected while driving. */
const ALIGNED_DEGREES = 1;
/** A flying device may be this much too low and still travel. */
const FLIGHT_TOLERANCE_M = 2;

/** The target place: on the ground for a ground vehicle, and never below it; `null` keeps the present altitude. */
export function placeAt(
  { chassis, ground }: Vehicle,
  body: RoverBody,
  spot: PlanePoint,
  altitudeM: number | null,
): Place {
  const { eastM, northM } = spot;
  const surface = surfaceM(ground, spot);
  if (chassis.flightM === null) return { eastM, northM, altitudeM: surface };
  const wantedM = altitudeM ?? Math.max(body.altitudeM, surface + chassis.flightM);
  return { eastM, northM, altitudeM: Math.max(wantedM, surface) };
}

export const isAirborne = ({ ground }: Vehicle, body: RoverBody): boolean =>
  body.altitudeM > surfaceM(ground, body);

/** The device stands or hovers exactly at the target. */
export const isAt = (body: RoverBody, { eastM, northM, altitudeM }: Place): boolean =>
  body.speedMS === 0 && body.eastM === eastM && body.northM === northM && body.altitudeM === altitudeM;

/**
 * Makes one short step: turns on the spot until the target is ahead, then drives straight to it and brakes in time. A flying
 * device climbs before it travels, and changes to the altitude of the target when it is above the target.
 */
export function drive(vehicle: Vehicle, body: RoverBody, course: Course, stepS: number): RoverBody {
  const { target } = course;
  const isLow = target !== null && body.altitudeM < cruiseM(vehicle, body, target) - FLIGHT_TOLERANCE_M;
  const moved =
    target === null || isLow || isAbove(body, target)
      ? brake(vehicle.chassis, body, course.isEmergency, stepS)
      : approach(vehicle.chassis, body, target, course.speedMSMax, stepS);
  return { ...moved, altitudeM: altitudeM(vehicle, moved, target, stepS) };
}

const isAbove = (body: RoverBody, target: PlanePoint): boolean =>
  body.eastM === target.eastM && body.northM === target.northM;

function brake(chassis: Chassis, body: RoverBody, isEmergency: boolean, stepS: number): RoverBody {
  if (body.speedMS === 0) return body;
  const { brakingMS2, emergencyMS2 } = chassis;
  const speedMS = Math.max(0, body.speedMS - (isEmergency ? emergencyMS2 : brakingMS2) * stepS);
  return { ...ahead(body, body.headingDegrees, ((body.speedMS + speedMS) / 2) * stepS), speedMS };
}

function approach(
  chassis: Chassis,
  body: RoverBody,
  target: Place,
  speedMSMax: number,
  stepS: number,
): RoverBody {
  const bearing = bearingDegrees(body, target);
  const turn = turnDegrees(body.headingDegrees, bearing);
  if (Math.abs(turn) > ALIGNED_DEGREES) {
    if (body.speedMS > 0) return brake(chassis, body, false, stepS);
    const turned = Math.sign(turn) * Math.min(Math.abs(turn), chassis.turnDegreesPerS * stepS);
    return { ...body, headingDegrees: (body.headingDegrees + turned + 360) % 360 };
  }
  const leftM = apartM(body, target);
  const { accelerationMS2, brakingMS2 } = chassis;
  const allowedMS = Math.min(chassis.speedMS, speedMSMax, Math.sqrt(2 * brakingMS2 * leftM));
  const speedMS = Math.max(
    body.speedMS - brakingMS2 * stepS,
    Math.min(body.speedMS + accelerationMS2 * stepS, allowedMS),
  );
  const stepM = ((body.speedMS + speedMS) / 2) * stepS;
  if (stepM < leftM)
    return { ...ahead(body, bearing, stepM), headingDegrees: (bearing + 360) % 360, speedMS };
  return { ...body, eastM: target.eastM, northM: target.northM, speedMS: 0 };
}

/** The altitude for travelling. */
function cruiseM({ chassis, ground }: Vehicle, body: RoverBody, target: Place): number {
  if (chassis.flightM === null || isAbove(body, target)) return Number.NEGATIVE_INFINITY;
  return Math.max(target.altitudeM, surfaceM(ground, body) + chassis.flightM);
}

function altitudeM(vehicle: Vehicle, body: RoverBody, target: Place | null, stepS: number): number {
  const { chassis, ground } = vehicle;
  const surface = surfaceM(ground, body);
  if (chassis.flightM === null) return surface;
  const wantedM =
    target === null ? body.altitudeM : Math.max(target.altitudeM, cruiseM(vehicle, body, target));
  const reachM = chassis.climbMS * stepS;
  const climbM = Math.min(reachM, Math.max(-reachM, wantedM - body.altitudeM));
  const isThere = Math.abs(wantedM - body.altitudeM) <= reachM;
  return Math.max(surface, isThere ? wantedM : body.altitudeM + climbM);
}
