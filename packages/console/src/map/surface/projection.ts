import type { Point } from '@granary/contract/positions';

/** The mean radius of the Earth. */
const RADIUS_M = 6_371_008.8;

const EQUATOR_M = 40_075_016.686;

/** Web Mercator ends here, where the world is as high as it is wide. */
const LATITUDE_MAX = 85.0511;

/** The scales go from the whole world to about 5 mm for each pixel. */
const SCALE_MIN = 256;

const SCALE_MAX = 2 ** 33;
const MARGIN_PX = 56;
/** The margin is at most this share of the map, so that a small map is not only margin. */
const MARGIN_SHARE_MAX = 0.15;

/** A single place is shown with this much around it. */
const EXTENT_M_MIN = 800;

/** A place in Web Mercator, the projection of map tiles: the world is a square with sides of 1, north is at the top. */
export interface WorldPlace {
  readonly x: number;
  readonly y: number;
}

/** A place on the screen, in pixels from the upper left corner of the map. */
export interface ScreenPlace {
  readonly x: number;
  readonly y: number;
}

/** The part of the world that is drawn. */
export interface Viewport {
  readonly center: WorldPlace;
  /** The width of the world in pixels. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

const degrees = (angle: number): number => (angle * 180) / Math.PI;

export function worldOf({ lat, lng }: Point): WorldPlace {
  const angle = radians(clamp(lat, -LATITUDE_MAX, LATITUDE_MAX));
  return { x: (lng + 180) / 360, y: (1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2 };
}

export function pointOf({ x, y }: WorldPlace): Point {
  const lng = (x - Math.floor(x)) * 360 - 180;
  return { lat: degrees(Math.atan(Math.sinh(Math.PI * (1 - 2 * y)))), lng };
}

/** The shorter way around the world, so that places on both sides of the date line are beside each other. */
const eastwards = (from: number, to: number): number => {
  const difference = to - from;
  return difference - Math.round(difference);
};

export function screenOf(point: Point, { center, scale, width, height }: Viewport): ScreenPlace {
  const { x, y } = worldOf(point);
  return { x: eastwards(center.x, x) * scale + width / 2, y: (y - center.y) * scale + height / 2 };
}

const worldAt = ({ x, y }: ScreenPlace, { center, scale, width, height }: Viewport): WorldPlace => ({
  x: center.x + (x - width / 2) / scale,
  y: center.y + (y - height / 2) / scale,
});

export const pointAt = (place: ScreenPlace, view: Viewport): Point => pointOf(worldAt(place, view));

export const metresPerPixel = ({ center, scale }: Viewport): number =>
  (EQUATOR_M * Math.cos(radians(pointOf(center).lat))) / scale;

/** The length of a part of the world's width, in metres, at a latitude. */
export const worldLength = (metres: number, latitude: number): number =>
  metres / (EQUATOR_M * Math.cos(radians(latitude)));

export const moved = (view: Viewport, rightPx: number, downPx: number): Viewport => ({
  ...view,
  center: {
    x: wrapped(view.center.x - rightPx / view.scale),
    y: clamp(view.center.y - downPx / view.scale, 0, 1),
  },
});

const wrapped = (x: number): number => x - Math.floor(x);

/** Zooms; the point under the given place stays there. */
export function zoomed(view: Viewport, factor: number, at?: ScreenPlace): Viewport {
  const place = at ?? { x: view.width / 2, y: view.height / 2 };
  const scale = clamp(view.scale * factor, SCALE_MIN, SCALE_MAX);
  const { x, y } = worldAt(place, view);
  const center = {
    x: wrapped(x - (place.x - view.width / 2) / scale),
    y: clamp(y - (place.y - view.height / 2) / scale, 0, 1),
  };
  return { ...view, center, scale };
}

/** The view in which all points are visible, with a margin around them. */
export function fitted(points: readonly Point[], view: Viewport): Viewport {
  const [first, ...others] = points.map(worldOf);
  if (first === undefined) return view;
  const xs = [0, ...others.map(({ x }) => eastwards(first.x, x))];
  const ys = [first.y, ...others.map(({ y }) => y)];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const center = { x: wrapped(first.x + (left + right) / 2), y: (top + bottom) / 2 };
  const extentMin = worldLength(EXTENT_M_MIN, pointOf(center).lat);
  const room = (size: number): number => Math.max(1, size - 2 * Math.min(MARGIN_PX, size * MARGIN_SHARE_MAX));
  const scale = Math.min(
    room(view.width) / Math.max(right - left, extentMin),
    room(view.height) / Math.max(bottom - top, extentMin),
  );
  return { ...view, center, scale: clamp(scale, SCALE_MIN, SCALE_MAX) };
}

export const isVisible = ({ x, y }: ScreenPlace, { width, height }: Viewport): boolean =>
  x >= 0 && y >= 0 && x <= width && y <= height;

/** The distance in metres, exact to half a percent, which is enough for drawing; distances that decide come from the service. */
export function distanceM(from: Point, to: Point): number {
  const half = (angle: number): number => Math.sin(angle / 2) ** 2;
  const across = half(radians(to.lat - from.lat));
  const along = half(radians(to.lng - from.lng));
  const share = across + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * along;
  return 2 * RADIUS_M * Math.asin(Math.min(1, Math.sqrt(share)));
}

/** The direction in degrees clockwise from north. */
export function bearing(from: Point, to: Point): number {
  const east = radians(to.lng - from.lng);
  const [start, end] = [radians(from.lat), radians(to.lat)];
  const y = Math.sin(east) * Math.cos(end);
  const x = Math.cos(start) * Math.sin(end) - Math.sin(start) * Math.cos(end) * Math.cos(east);
  return ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360;
}

/** The points as the outline of an SVG path. */
export const pathOf = (points: readonly Point[], view: Viewport): string =>
  points
    .map((point, index) => {
      const { x, y } = screenOf(point, view);
      return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
