import type { Point } from '@granary/contract/positions';
import geographiclib from 'geographiclib-geodesic';

const { DISTANCE, WGS84 } = geographiclib.Geodesic;

/** Of the sphere that deviates least from the WGS-84 ellipsoid: the mean of its three half axes. */
export const MEAN_RADIUS_M = (WGS84.a * (3 - WGS84.f)) / 3;

export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The length of the shortest line over the ground, exact to nanometres, also to the antipode. */
export function distanceM(from: Point, to: Point): number {
  const { s12 = Number.NaN } = WGS84.Inverse(from.lat, from.lng, to.lat, to.lng, DISTANCE);
  return s12;
}
