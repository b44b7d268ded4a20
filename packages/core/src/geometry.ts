import type { Geofence } from '@granary/contract/configuration/field-configuration';
import { Refusal } from '@granary/contract/errors';
import type { Point } from '@granary/contract/positions';
import geographiclib from 'geographiclib-geodesic';

const { DISTANCE, WGS84 } = geographiclib.Geodesic;

/** The radius of the sphere that deviates least from the WGS-84 ellipsoid: the mean of its three half axes. */
export const MEAN_RADIUS_M = (WGS84.a * (3 - WGS84.f)) / 3;
/** A point that is closer to an edge than twice the resolution of a stored coordinate counts as inside. */
const EDGE_WIDTH_M = 0.02;
/** A fence wider than this cannot be projected onto one plane, and its inside would be ambiguous. */
const FENCE_RADIUS_M_MAX = 1_000_000;
const EDGE_WIDTH = EDGE_WIDTH_M / MEAN_RADIUS_M;

export const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The length of the shortest line over the ground, exact to nanometres, also to the antipode. */
export function distanceM(from: Point, to: Point): number {
  const { s12 = Number.NaN } = WGS84.Inverse(from.lat, from.lng, to.lat, to.lng, DISTANCE);
  return s12;
}

type Vector = readonly [x: number, y: number, z: number];
/** A point of the gnomonic projection around the middle of a fence, in which shortest lines are straight. */
interface PlanePoint {
  readonly x: number;
  readonly y: number;
}

/** A fence projected onto a plane, so that poles and the antimeridian need no special case. */
interface Plane {
  readonly corners: readonly PlanePoint[];
  /** `null` for a point too far away to be projected. */
  readonly toPlanePoint: (point: Point) => PlanePoint | null;
}

function vectorOf({ lat, lng }: Point): Vector {
  const [north, east] = [toRadians(lat), toRadians(lng)];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

const scaled = ([x, y, z]: Vector, factor: number): Vector => [x * factor, y * factor, z * factor];
const unit = (vector: Vector): Vector => scaled(vector, 1 / Math.sqrt(dot(vector, vector)));

/** `null` if the fence is too wide to be projected. */
function planeOf(fence: Geofence): Plane | null {
  const corners = fence.map(vectorOf);
  const sum = corners.reduce<Vector>((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [0, 0, 0]);
  const middle = unit(sum);
  const horizonCos = Math.cos(FENCE_RADIUS_M_MAX / MEAN_RADIUS_M);
  if (!corners.every((corner) => dot(corner, middle) >= horizonCos)) return null;
  // Any axis works that is not parallel to the middle.
  const right = unit(cross(Math.abs(middle[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], middle));
  const ahead = cross(middle, right);
  const project = (vector: Vector): PlanePoint => {
    const depth = dot(vector, middle);
    return { x: dot(vector, right) / depth, y: dot(vector, ahead) / depth };
  };
  return {
    corners: corners.map(project),
    toPlanePoint: (point) => {
      const vector = vectorOf(point);
      return dot(vector, middle) < horizonCos ? null : project(vector);
    },
  };
}

type Edge = readonly [from: PlanePoint, to: PlanePoint];

const edgesOf = (corners: readonly PlanePoint[]): Edge[] =>
  corners.flatMap((from, index) => {
    const to = corners[(index + 1) % corners.length];
    return to === undefined ? [] : [[from, to] as const];
  });

/** Positive when the point lies to the left of the edge. */
const side = ([from, to]: Edge, point: PlanePoint): number =>
  (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x);

function distanceTo([from, to]: Edge, point: PlanePoint): number {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = x * x + y * y;
  const along = length === 0 ? 0 : ((point.x - from.x) * x + (point.y - from.y) * y) / length;
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(point.x - from.x - share * x, point.y - from.y - share * y);
}

function contains(corners: readonly PlanePoint[], point: PlanePoint): boolean {
  const edges = edgesOf(corners);
  if (edges.some((edge) => distanceTo(edge, point) <= EDGE_WIDTH)) return true;
  const crossed = edges.filter((edge) => {
    const [from, to] = edge;
    const goesUp = to.y > from.y;
    return from.y > point.y !== to.y > point.y && side(edge, point) > 0 === goesUp;
  });
  return crossed.length % 2 === 1;
}

/** No point is inside a fence that cannot be projected. */
export function isInside(fence: Geofence, point: Point): boolean {
  const plane = planeOf(fence);
  const planePoint = plane?.toPlanePoint(point) ?? null;
  return plane !== null && planePoint !== null && contains(plane.corners, planePoint);
}

/** Whether the whole straight line from one point to another is inside. */
export function staysInside(fence: Geofence, from: Point, to: Point): boolean {
  const plane = planeOf(fence);
  const [start, end] = [plane?.toPlanePoint(from) ?? null, plane?.toPlanePoint(to) ?? null];
  if (plane === null || start === null || end === null) return false;
  const shares = edgesOf(plane.corners).flatMap((edge) => crossingShare([start, end], edge) ?? []);
  const stops = [0, ...shares.sort((a, b) => a - b), 1];
  const at = (share: number): PlanePoint => ({
    x: start.x + share * (end.x - start.x),
    y: start.y + share * (end.y - start.y),
  });
  const between = stops.slice(1).map((stop, index) => at((stop + (stops[index] ?? 0)) / 2));
  return [start, end, ...between].every((point) => contains(plane.corners, point));
}

/** The share of the first edge before it crosses the second; `null` when they do not cross. */
function crossingShare(first: Edge, second: Edge): number | null {
  const [before, after] = [side(second, first[0]), side(second, first[1])];
  const [left, right] = [side(first, second[0]), side(first, second[1])];
  const meet = before > 0 !== after > 0 && left > 0 !== right > 0;
  return meet ? before / (before - after) : null;
}

/** Refuses a polygon whose inside is not defined. */
export function refuseBadFence(fence: Geofence): void {
  const corners = planeOf(fence)?.corners;
  if (corners === undefined) refuse(`reaches further than ${FENCE_RADIUS_M_MAX / 1_000} km`);
  const edges = edgesOf(corners);
  if (edges.some(([from, to]) => Math.hypot(to.x - from.x, to.y - from.y) <= EDGE_WIDTH)) {
    refuse('names the same place twice in a row');
  }
  if (edges.some((edge) => corners.every((corner) => distanceTo(edge, corner) <= EDGE_WIDTH))) {
    refuse('is a line');
  }
  // Neighbouring edges share a corner and are skipped; if one folds back onto the other, the edge after it touches it too.
  const crosses = edges.some((edge, index) => {
    const others = edges.slice(index + 2, index === 0 ? -1 : undefined);
    return others.some((other) => touches(edge, other));
  });
  if (crosses) refuse('crosses or touches itself');
}

const touches = (edge: Edge, other: Edge): boolean =>
  crossingShare(edge, other) !== null ||
  other.some((point) => distanceTo(edge, point) <= EDGE_WIDTH) ||
  edge.some((point) => distanceTo(other, point) <= EDGE_WIDTH);

function refuse(message: string): never {
  throw new Refusal('invalid_geofence', `the geofence ${message}`, [{ path: '/geofence', message }]);
}
