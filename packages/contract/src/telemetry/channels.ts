export const CHANNELS = {
  weight: { unit: 'kg', scale: 1_000, min: -1e6, max: 1e7 },
  temperature: { unit: 'celsius', scale: 1_000, min: -60, max: 120 },
  humidity: { unit: 'percent', scale: 1_000, min: 0, max: 100 },
  latitude: { unit: 'degree', scale: 1e7, min: -90, max: 90 },
  longitude: { unit: 'degree', scale: 1e7, min: -180, max: 180 },
  altitude: { unit: 'm', scale: 1_000, min: -500, max: 10_000 },
  battery_level: { unit: 'percent', scale: 1_000, min: 0, max: 100 },
  signal_strength: { unit: 'dBm', scale: 1_000, min: -200, max: 100 },
  soil_moisture: { unit: 'percent', scale: 1_000, min: 0, max: 100 },
  light_intensity: { unit: 'lux', scale: 1_000, min: 0, max: 200_000 },
  wind_speed: { unit: 'm/s', scale: 1_000, min: 0, max: 150 },
  atmospheric_pressure: { unit: 'hPa', scale: 1_000, min: 300, max: 1_200 },
  /** The rain since the reading before, so that the sum over a time is the rain in that time. */
  rainfall: { unit: 'mm', scale: 1_000, min: 0, max: 500 },
} as const satisfies Record<string, Channel>;
export const CHANNEL_NAMES = Object.keys(CHANNELS) as readonly ChannelName[];
/** The symbols of the units that have a name of their own in the API; every other unit is written as it was declared. */
const SYMBOLS: Readonly<Record<string, string>> = {
  percent: '%',
  celsius: '°C',
  fahrenheit: '°F',
  short_ton: 'sh tn',
  'short_ton/h': 'sh tn/h',
  bushel: 'bu',
  'bushel/h': 'bu/h',
  degree: '°',
  degrees: '°',
  hpa: 'hPa',
  dbm: 'dBm',
  lux: 'lx',
  volt: 'V',
};

/**
 * A quantity that a device measures. A value is stored as a whole number of `1 / scale` units, so that sums are exact and
 * the order of arrival never changes a mean. `min` and `max` are the range of plausible values.
 */
export interface Channel {
  readonly unit: string;
  readonly scale: number;
  readonly min: number;
  readonly max: number;
}

export type ChannelName = keyof typeof CHANNELS;

export const unitSymbol = (unit: string): string => SYMBOLS[unit.toLowerCase()] ?? unit;
