import type { Viewport } from './projection.ts';

const TILE_PX = 256;
const LEVEL_MAX = 19;
/** A very large screen asks for no more than this. */
const TILES_MAX = 200;

export interface Tile {
  readonly address: string;
  readonly x: number;
  readonly y: number;
  readonly sizePx: number;
}

/** The tiles that cover the map. The address has places for `{z}`, `{x}` and `{y}`. */
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
