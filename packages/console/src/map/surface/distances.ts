import type { Point } from '@granary/contract/positions';

/** The mean radius of the Earth. */
const RADIUS_M = 6_371_008.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Exact to half a percent, which is enough for what is drawn; distances that decide come from the service. */
export function distanceM(from: Point, to: Point): number {
  const half = (angle: number): number => Math.sin(angle / 2) ** 2;
  const across = half(radians(to.lat - from.lat));
  const along = half(radians(to.lng - from.lng));
  const share = across + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * along;
  return 2 * RADIUS_M * Math.asin(Math.min(1, Math.sqrt(share)));
}

/** Degrees clockwise from north. */
export function bearing(from: Point, to: Point): number {
  const east = radians(to.lng - from.lng);
  const [start, end] = [radians(from.lat), radians(to.lat)];
  const y = Math.sin(east) * Math.cos(end);
  const x = Math.cos(start) * Math.sin(end) - Math.sin(start) * Math.cos(end) * Math.cos(east);
  return ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
}
