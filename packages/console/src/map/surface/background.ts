import { metresPerPixel, pointOf, type Viewport, worldLength } from './projection.ts';

const TILE_PX = 256;
const LEVEL_MAX = 19;

/** The limit of tiles, also for a very large screen. */
const TILES_MAX = 200;
const LINES_APART_PX_MIN = 72;
const BAR_PX_MAX = 120;

/** The largest of 1, 2, 5, 10, 20 … that is not above a length. */
function roundLengthBelow(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  const digit = [5, 2, 1].find((one) => one * power <= metres * (1 + 1e-9)) ?? 1;
  return digit * power;
}

/** The smallest of 1, 2, 5, 10, 20 … that is not below a length. */
function roundLengthAbove(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  const digit = [1, 2, 5].find((one) => one * power >= metres * (1 - 1e-9)) ?? 10;
  return digit * power;
}

export interface Grid {
  readonly stepM: number;
  /** The positions of the lines in pixels, from the left (`vertical`) and from the top (`horizontal`). */
  readonly vertical: readonly number[];
  readonly horizontal: readonly number[];
}

/** Lines at equal distances on the ground, which move with the ground when the map is moved. */
export function gridOf(view: Viewport): Grid {
  const stepM = roundLengthAbove(metresPerPixel(view) * LINES_APART_PX_MIN);
  // The latitude is rounded, so that the lines do not shift against the ground while the map is moved.
  const latitude = Math.round(pointOf(view.center).lat * 10) / 10;
  const step = worldLength(stepM, latitude);
  const { center, scale, width, height } = view;
  return {
    stepM,
    vertical: linesBetween(center.x, width, scale, step),
    horizontal: linesBetween(center.y, height, scale, step),
  };
}

function linesBetween(center: number, sizePx: number, scale: number, step: number): number[] {
  const first = Math.ceil((center - sizePx / 2 / scale) / step);
  const last = Math.floor((center + sizePx / 2 / scale) / step);
  const count = Math.max(0, last - first + 1);
  return Array.from({ length: count }, (_, index) => ((first + index) * step - center) * scale + sizePx / 2);
}

export interface ScaleBar {
  readonly lengthM: number;
  readonly lengthPx: number;
}

export function scaleBarOf(view: Viewport): ScaleBar {
  const oneM = metresPerPixel(view);
  const lengthM = roundLengthBelow(oneM * BAR_PX_MAX);
  return { lengthM, lengthPx: lengthM / oneM };
}

interface Tile {
  readonly address: string;
  readonly x: number;
  readonly y: number;
  readonly sizePx: number;
}

/** The tiles that cover the map. The address contains `{z}`, `{x}` and `{y}`. */
export function tilesOf(address: string, { center, scale, width, height }: Viewport): Tile[] {
  const level = Math.min(LEVEL_MAX, Math.max(0, Math.round(Math.log2(scale / TILE_PX))));
  const count = 2 ** level;
  const sizePx = scale / count;
  const firstColumn = Math.floor((center.x - width / 2 / scale) * count);
  const lastColumn = Math.floor((center.x + width / 2 / scale) * count);
  const firstRow = Math.max(0, Math.floor((center.y - height / 2 / scale) * count));
  const lastRow = Math.min(count - 1, Math.floor((center.y + height / 2 / scale) * count));
  const columns = lastColumn - firstColumn + 1;
  if (width === 0 || columns * (lastRow - firstRow + 1) > TILES_MAX) return [];
  const tiles: Tile[] = [];
  for (let row = firstRow; row <= lastRow; row++) {
    for (let column = firstColumn; column <= lastColumn; column++) {
      const x = ((column % count) + count) % count;
      tiles.push({
        address: address
          .replaceAll('{z}', String(level))
          .replaceAll('{x}', String(x))
          .replaceAll('{y}', String(row)),
        x: column * sizePx - center.x * scale + width / 2,
        y: row * sizePx - center.y * scale + height / 2,
        sizePx,
      });
    }
  }
  return tiles;
}
