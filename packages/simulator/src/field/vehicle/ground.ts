import type { Point } from '@granary/contract/positions';

/** A place on the plane around a device's home, where everything about its movement is reckoned. */
export interface PlanePoint {
  readonly eastM: number;
  readonly northM: number;
}

/** A spot and a height above sea level. */
export interface Place extends PlanePoint {
  readonly altitudeM: number;
}

/** WGS-84. */
const EQUATOR_RADIUS_M = 6_378_137;
const ECCENTRICITY_SQUARED = 6.69437999014e-3;
const DEGREE_RAD = Math.PI / 180;

/** How the plane lies on the earth. Near its origin, as far as a rover gets, it is true to a thousandth. */
export interface Ground {
  readonly origin: Point;
  readonly originAltitudeM: number;
  readonly mPerLat: number;
  readonly mPerLng: number;
}

export function groundAround(origin: Point, originAltitudeM: number): Ground {
  const lat = origin.lat * DEGREE_RAD;
  const bulge = 1 - ECCENTRICITY_SQUARED * Math.sin(lat) ** 2;
  return {
    origin,
    originAltitudeM,
    mPerLat: (DEGREE_RAD * EQUATOR_RADIUS_M * (1 - ECCENTRICITY_SQUARED)) / bulge ** 1.5,
    mPerLng: (DEGREE_RAD * EQUATOR_RADIUS_M * Math.cos(lat)) / Math.sqrt(bulge),
  };
}

export const planePointOf = ({ origin, mPerLat, mPerLng }: Ground, { lat, lng }: Point): PlanePoint => ({
  eastM: halfTurn(lng - origin.lng) * mPerLng,
  northM: (lat - origin.lat) * mPerLat,
});

export const pointOf = ({ origin, mPerLat, mPerLng }: Ground, { eastM, northM }: PlanePoint): Point => ({
  lat: origin.lat + northM / mPerLat,
  lng: halfTurn(origin.lng + eastM / mPerLng),
});

/** From -180 up to, but without, 180: the shorter way around the earth. */
const halfTurn = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;

export const apartM = (a: PlanePoint, b: PlanePoint): number =>
  Math.hypot(a.eastM - b.eastM, a.northM - b.northM);

/** Clockwise from north. */
export const bearingDegrees = (from: PlanePoint, to: PlanePoint): number =>
  Math.atan2(to.eastM - from.eastM, to.northM - from.northM) / DEGREE_RAD;

export function ahead<S extends PlanePoint>(from: S, bearing: number, distanceM: number): S {
  const angle = bearing * DEGREE_RAD;
  return {
    ...from,
    eastM: from.eastM + Math.sin(angle) * distanceM,
    northM: from.northM + Math.cos(angle) * distanceM,
  };
}

/** How far to turn, clockwise, by the shorter way. */
export const turnDegrees = (from: number, to: number): number => halfTurn(to - from);

/** Whether a spot lies within the corners: a line from there to the far north leaves them an odd number of times. */
export function isWithin(corners: readonly PlanePoint[], { eastM, northM }: PlanePoint): boolean {
  const crossed = corners.filter((from, index) => {
    const to = corners[(index + 1) % corners.length] ?? from;
    if (from.eastM > eastM === to.eastM > eastM) return false;
    const share = (eastM - from.eastM) / (to.eastM - from.eastM);
    return from.northM + share * (to.northM - from.northM) > northM;
  });
  return crossed.length % 2 === 1;
}

/** Hills of a few metres, the same every day. */
export const surfaceM = ({ originAltitudeM }: Ground, { eastM, northM }: PlanePoint): number =>
  originAltitudeM + 3 * Math.sin(eastM / 90) + 2 * Math.sin(northM / 60);
