import type { Point } from '@granary/contract/positions';

/** WGS-84. */
const EQUATOR_RADIUS_M = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const POLE_RADIUS_M = EQUATOR_RADIUS_M * (1 - FLATTENING);
/** Of the sphere that deviates least from the ellipsoid. */
export const MEAN_RADIUS_M = (2 * EQUATOR_RADIUS_M + POLE_RADIUS_M) / 3;

const ITERATIONS_MAX = 100;
/** Far below a millimetre on the ground. */
const CONVERGED_RAD = 1e-12;

export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;
const toDegrees = (radians: number): number => (radians * 180) / Math.PI;

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

/** From -180 up to, but without, 180. */
const normalizeLongitude = (degrees: number): number => modulo(degrees + 180, 360) - 180;

export interface Course {
  readonly distanceM: number;
  /** At the start, clockwise from north, from 0 up to 360. */
  readonly bearingDegrees: number;
}

/** A way along the auxiliary sphere: how far, at which angle it crosses the equator, and where its middle lies. */
interface Arc {
  readonly sigma: number;
  readonly sinAlpha: number;
  readonly cosDoubleMiddle: number;
}

export const distanceM = (from: Point, to: Point): number => courseTo(from, to).distanceM;

/** The shortest way over the ground. */
export const courseTo = (from: Point, to: Point): Course =>
  shortestCourse(from, to) ?? courseByMiddle(from, to);

/** After Vincenty, whose way of reckoning comes to no end close to the antipode: then `null`. */
function shortestCourse(from: Point, to: Point): Course | null {
  const turn = toRadians(normalizeLongitude(to.lng - from.lng));
  const start = reducedLatitude(from);
  const end = reducedLatitude(to);
  let lambda = turn;
  for (let iteration = 0; iteration < ITERATIONS_MAX; iteration += 1) {
    const east = end.cos * Math.sin(lambda);
    const north = start.cos * end.sin - start.sin * end.cos * Math.cos(lambda);
    const sinSigma = Math.hypot(east, north);
    const cosSigma = start.sin * end.sin + start.cos * end.cos * Math.cos(lambda);
    if (sinSigma === 0) return cosSigma > 0 ? { distanceM: 0, bearingDegrees: 0 } : null;
    const sinAlpha = (start.cos * east) / sinSigma;
    const cosSquaredAlpha = 1 - sinAlpha ** 2;
    const arc: Arc = {
      sigma: Math.atan2(sinSigma, cosSigma),
      sinAlpha,
      // Along the equator the middle makes no difference.
      cosDoubleMiddle: cosSquaredAlpha <= 0 ? 0 : cosSigma - (2 * start.sin * end.sin) / cosSquaredAlpha,
    };
    const before = lambda;
    lambda = turn + longitudeExcess(arc);
    if (Math.abs(lambda) > Math.PI) return null;
    if (Math.abs(lambda - before) < CONVERGED_RAD) {
      return { distanceM: lengthM(arc), bearingDegrees: bearing(east, north) };
    }
  }
  return null;
}

function reducedLatitude({ lat }: Point): { readonly sin: number; readonly cos: number } {
  const angle = Math.atan((1 - FLATTENING) * Math.tan(toRadians(lat)));
  return { sin: Math.sin(angle), cos: Math.cos(angle) };
}

const bearing = (east: number, north: number): number => modulo(toDegrees(Math.atan2(east, north)), 360);

/** By how much the longitude on the auxiliary sphere exceeds that on the ellipsoid. */
function longitudeExcess({ sigma, sinAlpha, cosDoubleMiddle }: Arc): number {
  const cosSquaredAlpha = 1 - sinAlpha ** 2;
  const c = (FLATTENING / 16) * cosSquaredAlpha * (4 + FLATTENING * (4 - 3 * cosSquaredAlpha));
  const inner = cosDoubleMiddle + c * Math.cos(sigma) * (2 * cosDoubleMiddle ** 2 - 1);
  return (1 - c) * FLATTENING * sinAlpha * (sigma + c * Math.sin(sigma) * inner);
}

/** Vincenty's series in the square of the second eccentricity. */
function series(sinAlpha: number): { readonly a: number; readonly b: number } {
  const eccentricity = (EQUATOR_RADIUS_M ** 2 - POLE_RADIUS_M ** 2) / POLE_RADIUS_M ** 2;
  const u = (1 - sinAlpha ** 2) * eccentricity;
  return {
    a: 1 + (u / 16_384) * (4_096 + u * (-768 + u * (320 - 175 * u))),
    b: (u / 1_024) * (256 + u * (-128 + u * (74 - 47 * u))),
  };
}

function deviation({ sigma, cosDoubleMiddle }: Arc, b: number): number {
  const square = cosDoubleMiddle ** 2;
  const inner =
    Math.cos(sigma) * (2 * square - 1) -
    (b / 6) * cosDoubleMiddle * (4 * Math.sin(sigma) ** 2 - 3) * (4 * square - 3);
  return b * Math.sin(sigma) * (cosDoubleMiddle + (b / 4) * inner);
}

function lengthM(arc: Arc): number {
  const { a, b } = series(arc.sinAlpha);
  return POLE_RADIUS_M * a * (arc.sigma - deviation(arc, b));
}

const NORTH_POLE: Point = { lat: 90, lng: 0 };
const SOUTH_POLE: Point = { lat: -90, lng: 0 };

/** To nearly the other side of the earth it is about as far in every direction: the best of three ways is close enough. */
function courseByMiddle(from: Point, to: Point): Course {
  const ways = [middle(from, to), NORTH_POLE, SOUTH_POLE].flatMap((via) => {
    const [there, onwards] = [shortestCourse(from, via), shortestCourse(via, to)];
    if (there === null || onwards === null) return [];
    return [{ distanceM: there.distanceM + onwards.distanceM, bearingDegrees: there.bearingDegrees }];
  });
  return ways.reduce((best, way) => (way.distanceM < best.distanceM ? way : best));
}

/** Over a sphere. */
function middle(from: Point, to: Point): Point {
  const turn = toRadians(to.lng - from.lng);
  const [start, end] = [toRadians(from.lat), toRadians(to.lat)];
  const ahead = Math.cos(start) + Math.cos(end) * Math.cos(turn);
  const sideways = Math.cos(end) * Math.sin(turn);
  return {
    lat: toDegrees(Math.atan2(Math.sin(start) + Math.sin(end), Math.hypot(ahead, sideways))),
    lng: normalizeLongitude(from.lng + toDegrees(Math.atan2(sideways, ahead))),
  };
}

/** Where one is after so many metres straight ahead. */
export function destination(from: Point, { distanceM: wayM, bearingDegrees }: Course): Point {
  const start = reducedLatitude(from);
  const course = toRadians(bearingDegrees);
  const sinAlpha = start.cos * Math.sin(course);
  const equatorToStart = Math.atan2(start.sin, start.cos * Math.cos(course));
  const { a, b } = series(sinAlpha);
  const straight = wayM / (POLE_RADIUS_M * a);
  const arcOf = (sigma: number): Arc => ({
    sigma,
    sinAlpha,
    cosDoubleMiddle: Math.cos(2 * equatorToStart + sigma),
  });
  let arc = arcOf(straight);
  for (let iteration = 0; iteration < ITERATIONS_MAX; iteration += 1) {
    const before = arc.sigma;
    arc = arcOf(straight + deviation(arc, b));
    if (Math.abs(arc.sigma - before) < CONVERGED_RAD) break;
  }
  const [sinSigma, cosSigma] = [Math.sin(arc.sigma), Math.cos(arc.sigma)];
  const ahead = start.cos * cosSigma - start.sin * sinSigma * Math.cos(course);
  const polewards = start.sin * cosSigma + start.cos * sinSigma * Math.cos(course);
  const sideways = start.sin * sinSigma - start.cos * cosSigma * Math.cos(course);
  const turn = Math.atan2(sinSigma * Math.sin(course), ahead) - longitudeExcess(arc);
  return {
    lat: toDegrees(Math.atan2(polewards, (1 - FLATTENING) * Math.hypot(sinAlpha, sideways))),
    lng: normalizeLongitude(from.lng + toDegrees(turn)),
  };
}
