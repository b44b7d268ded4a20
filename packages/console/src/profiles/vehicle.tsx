import { valuesTile } from './values-tile.tsx';

export const vehicle = { Tile: valuesTile(['battery_level', 'signal_strength']) };
