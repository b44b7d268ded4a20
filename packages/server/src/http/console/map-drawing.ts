import { Varints } from './varints.ts';

const SVG_TYPE = 'image/svg+xml';
const PICTURE_PX = 256;
const EXTENT_DEFAULT = 4_096;
/** The size of a drawing that a browser shows quickly; of a larger tile the rest is left out. */
const PATH_CHARACTERS_MAX = 2_000_000;

export interface MapTile {
  readonly type: string;
  readonly body: Buffer;
}

/** The part of a tile that is shown, in shares of its sides. */
export interface TilePart {
  readonly x: number;
  readonly y: number;
  readonly share: number;
}

/**
 * How the layers of the usual schemas (Protomaps, OpenMapTiles, Shortbread) are drawn, from the lowest one up: in quiet colours, so
 * that vehicles and alarms stand out. A layer that is not named here is not drawn.
 */
const LAYERS: readonly (readonly [kind: string, names: readonly string[]])[] = [
  ['land', ['earth', 'landcover', 'land']],
  ['use', ['landuse', 'park', 'natural', 'sites']],
  ['water', ['water', 'ocean', 'water_polygons', 'physical_line', 'waterway', 'water_lines']],
  ['building', ['buildings', 'building']],
  ['road', ['roads', 'transportation', 'streets', 'transit']],
  ['border', ['boundaries', 'boundary']],
];

const STYLE = `path{fill:none;stroke-linejoin:round;vector-effect:non-scaling-stroke}
.land-area{fill:#eef0ea}.use-area{fill:#dfe8d8}.water-area{fill:#c3d9e6}.water-line{stroke:#a9c6d8;stroke-width:1.5}
.building-area{fill:#d6d2cb}.road-line{stroke:#a8a39a;stroke-width:1.6}.border-line{stroke:#8d8d95;stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){.land-area{fill:#20242a}.use-area{fill:#222c26}.water-area{fill:#1d3240}.water-line{stroke:#2b4757}
.building-area{fill:#33363c}.road-line{stroke:#575a60}.border-line{stroke:#6c6f78}}`.replaceAll('\n', '');

const svg = (viewBox: string, contents: string): MapTile => ({
  type: SVG_TYPE,
  body: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${viewBox}">${contents}</svg>`),
});

const viewBoxOf = ({ x, y, share }: TilePart, extent: number): string =>
  [x, y, share, share].map((one) => one * extent).join(' ');

/** The drawing for places where the map has nothing. */
export const EMPTY_DRAWING = svg('0 0 1 1', '');

/** Shows a part of a picture, for levels that the map does not have. */
export const pictureOf = ({ type, body }: MapTile, part: TilePart): MapTile =>
  svg(
    viewBoxOf(part, PICTURE_PX),
    `<image width="${PICTURE_PX}" height="${PICTURE_PX}" href="data:${type};base64,${body.toString('base64')}"/>`,
  );

/** Draws the layers of a vector tile as lines and areas. Only numbers of the tile get into the text. */
export function drawingOf(tile: Buffer, part: TilePart): MapTile {
  const layers = fieldsOf(tile).flatMap(({ field, bytes }) =>
    field === 3 && bytes !== undefined ? [layerOf(bytes)] : [],
  );
  const extent = layers[0]?.extent ?? EXTENT_DEFAULT;
  let room = PATH_CHARACTERS_MAX;
  const drawn = LAYERS.flatMap(([kind, names]) =>
    layers
      .filter(({ name }) => names.includes(name))
      .flatMap(({ features, extent: own }) => {
        const scale = own === extent ? '' : ` transform="scale(${extent / own})"`;
        return (['area', 'line'] as const).map((form) => {
          const d = features
            .filter((feature) => feature.form === form)
            .map((feature) => {
              const path = room > 0 ? pathOf(feature) : '';
              room -= path.length;
              return path;
            })
            .join('');
          return d === '' ? '' : `<path class="${kind}-${form}"${scale} d="${d}"/>`;
        });
      }),
  );
  return svg(viewBoxOf(part, extent), `<style>${STYLE}</style>${drawn.join('')}`);
}

interface Field {
  readonly field: number;
  readonly value: number;
  readonly bytes: Buffer | undefined;
}

/** The fields of a message of Protocol Buffers. */
function fieldsOf(message: Buffer): Field[] {
  const numbers = new Varints(message);
  const fields: Field[] = [];
  while (!numbers.isOver) {
    const key = numbers.next();
    const field = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        fields.push({ field, value: numbers.next(), bytes: undefined });
        break;
      case 1:
        numbers.part(8);
        break;
      case 2:
        fields.push({ field, value: 0, bytes: numbers.part(numbers.next()) });
        break;
      default:
        numbers.part(4);
    }
  }
  return fields;
}

interface Feature {
  readonly form: 'area' | 'line' | 'other';
  readonly geometry: Buffer;
}

interface Layer {
  readonly name: string;
  readonly extent: number;
  readonly features: readonly Feature[];
}

function layerOf(message: Buffer): Layer {
  const fields = fieldsOf(message);
  const name = fields.find(({ field }) => field === 1)?.bytes?.toString() ?? '';
  const extent = fields.find(({ field }) => field === 5)?.value ?? 0;
  const features = fields.flatMap(({ field, bytes }) =>
    field === 2 && bytes !== undefined ? [featureOf(bytes)] : [],
  );
  return { name, extent: extent > 0 ? extent : EXTENT_DEFAULT, features };
}

const FORMS: Readonly<Record<number, Feature['form']>> = { 2: 'line', 3: 'area' };

function featureOf(message: Buffer): Feature {
  const fields = fieldsOf(message);
  const type = fields.find(({ field }) => field === 3)?.value ?? 0;
  const geometry = fields.find(({ field }) => field === 4)?.bytes ?? Buffer.alloc(0);
  return { form: FORMS[type] ?? 'other', geometry };
}

const MOVE = 1;
const LINE = 2;

/** The commands of a geometry as those of an SVG path. */
function pathOf({ geometry }: Feature): string {
  const numbers = new Varints(geometry);
  const step = (): number => {
    const value = numbers.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  let [x, y] = [0, 0];
  let path = '';
  while (!numbers.isOver) {
    const command = numbers.next();
    const kind = command % 8;
    if (kind !== MOVE && kind !== LINE) {
      path += 'z';
      continue;
    }
    for (let count = Math.floor(command / 8); count > 0; count--) {
      const [right, down] = [step(), step()];
      x += right;
      y += down;
      path += kind === MOVE ? `M${x} ${y}` : `l${right} ${down}`;
    }
  }
  return path;
}
