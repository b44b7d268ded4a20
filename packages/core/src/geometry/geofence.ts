import type { Geofence } from '@granary/contract/configuration/field-configuration';
import { Refusal } from '@granary/contract/errors';
import type { Point } from '@granary/contract/positions';
import { MEAN_RADIUS_M, toRadians } from './geodesy.ts';

/** Twice the resolution of a stored coordinate: whoever stands on the fence is inside. */
const EDGE_WIDTH_M = 0.02;
/** Wider ones would reach around the earth, where inside and outside are a matter of taste. */
const FENCE_RADIUS_M_MAX = 1_000_000;

type Vector = readonly [x: number, y: number, z: number];
/** A place on the plane that touches the earth in the middle of a fence. Shortest lines are straight there. */
interface Spot {
  readonly x: number;
  readonly y: number;
}

/** A fence laid out on a plane, where neither poles nor the antimeridian are special. */
interface Plane {
  readonly corners: readonly Spot[];
  /** `null` for what lies beyond the horizon. */
  readonly spotOf: (point: Point) => Spot | null;
}

const EDGE_WIDTH = EDGE_WIDTH_M / MEAN_RADIUS_M;

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

/** `null` when the fence is too wide for a plane. */
function planeOf(fence: Geofence): Plane | null {
  const corners = fence.map(vectorOf);
  const sum = corners.reduce<Vector>((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [0, 0, 0]);
  const middle = unit(sum);
  const horizonCos = Math.cos(FENCE_RADIUS_M_MAX / MEAN_RADIUS_M);
  if (!corners.every((corner) => dot(corner, middle) >= horizonCos)) return null;
  // Any direction that is not the middle's own will do.
  const right = unit(cross(Math.abs(middle[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], middle));
  const ahead = cross(middle, right);
  const project = (vector: Vector): Spot => {
    const depth = dot(vector, middle);
    return { x: dot(vector, right) / depth, y: dot(vector, ahead) / depth };
  };
  return {
    corners: corners.map(project),
    spotOf: (point) => {
      const vector = vectorOf(point);
      return dot(vector, middle) < horizonCos ? null : project(vector);
    },
  };
}

type Edge = readonly [from: Spot, to: Spot];

const edgesOf = (corners: readonly Spot[]): Edge[] =>
  corners.flatMap((from, index) => {
    const to = corners[(index + 1) % corners.length];
    return to === undefined ? [] : [[from, to] as const];
  });

/** Positive when `spot` lies to the left of the edge. */
const side = ([from, to]: Edge, spot: Spot): number =>
  (to.x - from.x) * (spot.y - from.y) - (to.y - from.y) * (spot.x - from.x);

function distanceTo([from, to]: Edge, spot: Spot): number {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = x * x + y * y;
  const along = length === 0 ? 0 : ((spot.x - from.x) * x + (spot.y - from.y) * y) / length;
  const share = Math.max(0, Math.min(1, along));
  return Math.hypot(spot.x - from.x - share * x, spot.y - from.y - share * y);
}

function contains(corners: readonly Spot[], spot: Spot): boolean {
  const edges = edgesOf(corners);
  if (edges.some((edge) => distanceTo(edge, spot) <= EDGE_WIDTH)) return true;
  const crossed = edges.filter((edge) => {
    const [from, to] = edge;
    const goesUp = to.y > from.y;
    return from.y > spot.y !== to.y > spot.y && side(edge, spot) > 0 === goesUp;
  });
  return crossed.length % 2 === 1;
}

/** A fence that cannot be drawn keeps nobody in. */
export function isInside(fence: Geofence, point: Point): boolean {
  const plane = planeOf(fence);
  const spot = plane?.spotOf(point) ?? null;
  return plane !== null && spot !== null && contains(plane.corners, spot);
}

/** Whether the straight way from one place to another stays inside all along. */
export function staysInside(fence: Geofence, from: Point, to: Point): boolean {
  const plane = planeOf(fence);
  const [start, end] = [plane?.spotOf(from) ?? null, plane?.spotOf(to) ?? null];
  if (plane === null || start === null || end === null) return false;
  const shares = edgesOf(plane.corners).flatMap((edge) => crossingShare([start, end], edge) ?? []);
  const stops = [0, ...shares.sort((a, b) => a - b), 1];
  const at = (share: number): Spot => ({
    x: start.x + share * (end.x - start.x),
    y: start.y + share * (end.y - start.y),
  });
  const between = stops.slice(1).map((stop, index) => at((stop + (stops[index] ?? 0)) / 2));
  return [start, end, ...between].every((spot) => contains(plane.corners, spot));
}

/** How much of the first lies before it meets the second; `null` when they do not meet in one place. */
function crossingShare(first: Edge, second: Edge): number | null {
  const [before, after] = [side(second, first[0]), side(second, first[1])];
  const [left, right] = [side(first, second[0]), side(first, second[1])];
  const meet = before > 0 !== after > 0 && left > 0 !== right > 0;
  return meet ? before / (before - after) : null;
}

/** Refuses a polygon of which nobody could say what is inside. */
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
  // Neighbours share a corner. Should one turn back onto the other, the one after it meets that, too.
  const crosses = edges.some((edge, index) => {
    const others = edges.slice(index + 2, index === 0 ? -1 : undefined);
    return others.some((other) => touches(edge, other));
  });
  if (crosses) refuse('crosses or touches itself');
}

const touches = (edge: Edge, other: Edge): boolean =>
  crossingShare(edge, other) !== null ||
  other.some((spot) => distanceTo(edge, spot) <= EDGE_WIDTH) ||
  edge.some((spot) => distanceTo(other, spot) <= EDGE_WIDTH);

function refuse(message: string): never {
  throw new Refusal('invalid_geofence', `the geofence ${message}`, [{ path: '/geofence', message }]);
}
