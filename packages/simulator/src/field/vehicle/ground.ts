import type { Point } from '@granary/contract/positions';

/** A point of the local plane around a device's home, in which movement is computed. */
export interface PlanePoint {
  readonly eastM: number;
  readonly northM: number;
}

/** A point with a height above sea level. */
export interface Place extends PlanePoint {
  readonly altitudeM: number;
}

/** The radius at the equator and the eccentricity of the WGS-84 ellipsoid. */
const EQUATOR_RADIUS_M = 6_378_137;
const ECCENTRICITY_SQUARED = 6.69437999014e-3;
const DEGREE_RAD = Math.PI / 180;

/** The position of the plane on the earth; within the range of a rover its distances are exact to a thousandth. */
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

/** Returns an angle from -180 up to, but without, 180: the shorter way around the earth. */
const halfTurn = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;

export const apartM = (a: PlanePoint, b: PlanePoint): number =>
  Math.hypot(a.eastM - b.eastM, a.northM - b.northM);

/** Returns the bearing in degrees clockwise from north. */
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

/** The clockwise angle of the shorter turn. */
export const turnDegrees = (from: number, to: number): number => halfTurn(to - from);

/** Whether a point is inside the polygon: a line from it to the north crosses the edges an odd number of times. */
export function isWithin(corners: readonly PlanePoint[], { eastM, northM }: PlanePoint): boolean {
  const crossed = corners.filter((from, index) => {
    const to = corners[(index + 1) % corners.length] ?? from;
    if (from.eastM > eastM === to.eastM > eastM) return false;
    const share = (eastM - from.eastM) / (to.eastM - from.eastM);
    return from.northM + share * (to.northM - from.northM) > northM;
  });
  return crossed.length % 2 === 1;
}

/** Returns the height of the ground, with fixed hills of a few metres. */
export const surfaceM = ({ originAltitudeM }: Ground, { eastM, northM }: PlanePoint): number =>
  originAltitudeM + 3 * Math.sin(eastM / 90) + 2 * Math.sin(northM / 60);
