import { GEOFENCE_POINTS_MAX } from '@granary/contract/outline';
import type { Point } from '@granary/contract/positions';

/** The number of decimals of a degree; it is exact to about a centimetre. */
const DECIMALS = 7;

/** A corner has an id that stays the same while others are added and removed. */
export interface Corner extends Point {
  readonly id: number;
}

/** A geofence that is being edited; its last corner is connected to the first. */
export interface FenceDraft {
  readonly corners: readonly Corner[];
}

export const CORNERS_MIN = 3;

const rounded = (value: number): number => Number(value.toFixed(DECIMALS));

export const fenceDraft = (points: readonly Point[] | null): FenceDraft => ({
  corners: (points ?? []).map(({ lat, lng }, index) => ({ id: index + 1, lat, lng })),
});

/** A new corner becomes part of the edge that is nearest to it, so that the line does not cross itself. */
export function withCorner({ corners }: FenceDraft, { lat, lng }: Point): FenceDraft {
  if (corners.length >= GEOFENCE_POINTS_MAX) return { corners };
  const corner = {
    id: Math.max(0, ...corners.map(({ id }) => id)) + 1,
    lat: rounded(lat),
    lng: rounded(lng),
  };
  if (corners.length < CORNERS_MIN) return { corners: [...corners, corner] };
  return { corners: corners.toSpliced(nearestEdge(corners, corner) + 1, 0, corner) };
}

export const withMovedCorner = ({ corners }: FenceDraft, moved: number, { lat, lng }: Point): FenceDraft => ({
  corners: corners.map((one) => (one.id === moved ? { ...one, lat: rounded(lat), lng: rounded(lng) } : one)),
});

export const withoutCorner = ({ corners }: FenceDraft, removed: number): FenceDraft => ({
  corners: corners.filter(({ id }) => id !== removed),
});

/** The geofence in the form of the configuration; `null` if there is none. */
export const geofenceOf = ({ corners }: FenceDraft): Point[] | null =>
  corners.length === 0 ? null : corners.map(({ lat, lng }) => ({ lat, lng }));

/** The index of the corner where the nearest edge begins. */
function nearestEdge(corners: readonly Corner[], point: Point): number {
  const distances = corners.map((corner, index) =>
    distanceToEdge(point, corner, corners[(index + 1) % corners.length] ?? corner),
  );
  return distances.indexOf(Math.min(...distances));
}

/** The distance in degrees of latitude, on a plane, because it is only compared. */
function distanceToEdge(point: Point, from: Point, to: Point): number {
  const width = Math.cos((from.lat * Math.PI) / 180);
  const [x, y] = [(to.lng - from.lng) * width, to.lat - from.lat];
  const [px, py] = [(point.lng - from.lng) * width, point.lat - from.lat];
  const length = x * x + y * y;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, (px * x + py * y) / length));
  return Math.hypot(px - share * x, py - share * y);
}
