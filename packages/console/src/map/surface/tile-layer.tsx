import { useView } from './surface-context.ts';
import { tilesOf } from './tiles.ts';

/** Pictures of the ground, where the service is told which server has them. */
export const TileLayer = ({ address }: { readonly address: string }) => (
  <g class="map-tiles">
    {tilesOf(address, useView()).map((tile) => (
      <image
        key={tile.address}
        href={tile.address}
        x={tile.x}
        y={tile.y}
        width={tile.sizePx + 0.5}
        height={tile.sizePx + 0.5}
      />
    ))}
  </g>
);
