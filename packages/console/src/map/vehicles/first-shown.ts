import type { Point } from '@granary/contract/positions';
import { distanceM } from '../surface/distances.ts';

/** A site that is larger than this would have its vehicles drawn over each other. */
const SITE_M_MAX = 5_000;

interface Placed {
  readonly facility: string;
  readonly point: Point;
}

/** What the map shows first: everything, or the facility with the most vehicles where the facilities are far apart. */
export function firstShown(vehicles: readonly Placed[]): Point[] {
  const points = vehicles.map(({ point }) => point);
  const [first] = points;
  if (first === undefined || points.every((point) => distanceM(first, point) <= SITE_M_MAX)) return points;
  const facilities = [...Map.groupBy(vehicles, ({ facility }) => facility).values()];
  const largest = facilities.reduce((one, other) => (other.length > one.length ? other : one));
  return largest.map(({ point }) => point);
}
