import { GEOFENCE_POINTS_MAX } from '@granary/contract/outline';
import type { Point } from '@granary/contract/positions';

/** The reason why a file, or a polygon in it, cannot be a geofence. */
export type FenceFault =
  | 'tooLarge'
  | 'unreadable'
  | 'noPolygon'
  | 'holes'
  | 'tooMany'
  | 'tooFew'
  | 'notDegrees';

/** A polygon of a file. */
export interface FileFence {
  /** The name in the file; `null` if there is none. */
  readonly name: string | null;
  readonly corners: readonly Point[];
  readonly fault: FenceFault | null;
}

type Ring = readonly (readonly [lng: number, lat: number])[];
interface NamedPolygon {
  readonly name: string | null;
  readonly rings: readonly Ring[];
}

const CORNERS_MIN = 3;
/** The limit of a file; while a larger one is read, the page would not respond. */
export const FENCE_FILE_BYTES_MAX = 20_000_000;

/** The polygons of a GeoJSON or KML file; `readXml` is the parser of the browser. */
export function fencesOf(text: string, readXml: (text: string) => Document): FileFence[] | FenceFault {
  const polygons = text.trimStart().startsWith('<') ? polygonsOfKml(readXml(text)) : polygonsOfJson(text);
  if (polygons === null) return 'unreadable';
  return polygons.length === 0 ? 'noPolygon' : polygons.map(fenceOf);
}

function fenceOf({ name, rings: [outer = [], ...holes] }: NamedPolygon): FileFence {
  const points = outer.map(([lng, lat]) => ({ lat, lng }));
  const [first, last] = [points[0], points.at(-1)];
  // A ring in a file ends at the point where it begins.
  const isClosed = points.length > 1 && first?.lat === last?.lat && first?.lng === last?.lng;
  const corners = isClosed ? points.slice(0, -1) : points;
  return { name, corners, fault: faultOf(corners, holes.length > 0) };
}

function faultOf(corners: readonly Point[], hasHoles: boolean): FenceFault | null {
  const isPlace = ({ lat, lng }: Point): boolean => Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  if (!corners.every(isPlace)) return 'notDegrees';
  if (corners.length < CORNERS_MIN) return 'tooFew';
  if (corners.length > GEOFENCE_POINTS_MAX) return 'tooMany';
  return hasHoles ? 'holes' : null;
}

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function polygonsOfJson(text: string): NamedPolygon[] | null {
  try {
    return polygonsIn(JSON.parse(text), null);
  } catch {
    return null;
  }
}

/** The polygons of a feature, a list of features or a geometry, as RFC 7946 defines them. */
function polygonsIn(value: unknown, name: string | null): NamedPolygon[] {
  if (!isTree(value)) return [];
  const polygon = (rings: unknown): NamedPolygon => ({ name, rings: listOf(rings).map(ringOf) });
  switch (value['type']) {
    case 'FeatureCollection':
      return listOf(value['features']).flatMap((feature) => polygonsIn(feature, name));
    case 'GeometryCollection':
      return listOf(value['geometries']).flatMap((geometry) => polygonsIn(geometry, name));
    case 'Feature': {
      const given = isTree(value['properties']) ? value['properties']['name'] : null;
      return polygonsIn(value['geometry'], typeof given === 'string' ? given : name);
    }
    case 'Polygon':
      return [polygon(value['coordinates'])];
    case 'MultiPolygon':
      return listOf(value['coordinates']).map(polygon);
    default:
      return [];
  }
}

const ringOf = (ring: unknown): Ring =>
  listOf(ring).map((position) => {
    const [lng, lat] = listOf(position);
    return [typeof lng === 'number' ? lng : Number.NaN, typeof lat === 'number' ? lat : Number.NaN];
  });

function polygonsOfKml(document: Document): NamedPolygon[] | null {
  if (document.querySelector('parsererror') !== null) return null;
  return [...document.getElementsByTagNameNS('*', 'Polygon')].map((polygon) => {
    const placemark = polygon.closest('Placemark');
    const named = placemark?.getElementsByTagNameNS('*', 'name')[0]?.textContent?.trim();
    const rings = [...polygon.getElementsByTagNameNS('*', 'coordinates')];
    return { name: named || null, rings: rings.map(({ textContent }) => ringOfKml(textContent ?? '')) };
  });
}

/** Reads a ring such as `8.1,52.3,0 8.2,52.3,0`; an empty number is not a number. */
const ringOfKml = (text: string): Ring =>
  text
    .trim()
    .split(/\s+/)
    .map((position) => {
      const [lng = '', lat = ''] = position.split(',');
      return [Number.parseFloat(lng), Number.parseFloat(lat)];
    });
