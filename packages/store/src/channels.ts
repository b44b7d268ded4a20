import type { ChannelName } from '@granary/contract/channels';

/** How a channel is named in stored rows. Fixed for ever: new channels take new numbers. */
export const CHANNEL_CODES = {
  weight: 1,
  temperature: 2,
  humidity: 3,
  latitude: 4,
  longitude: 5,
  altitude: 6,
  battery_level: 7,
  signal_strength: 8,
  soil_moisture: 9,
  light_intensity: 10,
  wind_speed: 11,
  atmospheric_pressure: 12,
} as const satisfies Record<ChannelName, number>;
