import { PROFILE_NAMES, PROFILES, type ProfileName } from '@granary/contract/profiles/profiles';
import { CHANNEL_NAMES, CHANNELS, type ChannelName } from '@granary/contract/telemetry/channels';
import type { Lane, Sensor } from './sensor.ts';

/** The row with the three parts of a position. */
export const POSITION_GROUP = 2;

/**
 * The lanes of the standard sensors. Those that are reported together are in the same row, because the cost of writing is
 * the number of rows: a silo fills one. A lane never changes; new channels get new ones, in groups below those of declared
 * sensors.
 */
const LANES = {
  weight: { group: 1, slot: 0 },
  temperature: { group: 1, slot: 1 },
  humidity: { group: 1, slot: 2 },
  latitude: { group: POSITION_GROUP, slot: 0 },
  longitude: { group: POSITION_GROUP, slot: 1 },
  altitude: { group: POSITION_GROUP, slot: 2 },
  battery_level: { group: 3, slot: 0 },
  signal_strength: { group: 3, slot: 1 },
  soil_moisture: { group: 3, slot: 2 },
  light_intensity: { group: 4, slot: 0 },
  wind_speed: { group: 4, slot: 1 },
  atmospheric_pressure: { group: 4, slot: 2 },
  rainfall: { group: 5, slot: 0 },
} as const satisfies Record<ChannelName, Lane>;

const standardSensor = (channel: ChannelName): Sensor => ({
  sensorId: channel,
  type: channel,
  ...CHANNELS[channel],
  lane: LANES[channel],
  reportingIntervalMs: null,
});

export const STANDARD_SENSORS = Object.fromEntries(
  CHANNEL_NAMES.map((name) => [name, standardSensor(name)]),
) as Readonly<Record<ChannelName, Sensor>>;

const OF_PROFILES: ReadonlyMap<ProfileName, readonly Sensor[]> = new Map(
  PROFILE_NAMES.map((name) => [name, PROFILES[name].channels.map((channel) => STANDARD_SENSORS[channel])]),
);

/** The sensors that a profile brings. */
export const standardSensorsOf = (profile: ProfileName): readonly Sensor[] => OF_PROFILES.get(profile) ?? [];
