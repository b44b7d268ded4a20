import { valuesTile } from './values-tile.tsx';

export const weatherStation = { Tile: valuesTile(['temperature', 'humidity', 'wind_speed', 'rainfall']) };
