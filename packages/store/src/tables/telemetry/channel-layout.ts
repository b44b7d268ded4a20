import { CHANNEL_NAMES, type ChannelName } from '@granary/contract/telemetry/channels';

export const LANES = ['a', 'b', 'c'] as const;
export type Slot = (typeof LANES)[number];

export interface Place {
  /** The rows of one device and time differ by their group. */
  readonly group: number;
  readonly slot: Slot;
}

/**
 * Where a channel stands in stored rows: three to a row, and those that come together in the same row, since rows are
 * what writing costs. A silo fills one row where a row for each channel would take three. Fixed for ever: new channels
 * take new places.
 */
export const CHANNEL_LAYOUT = {
  weight: { group: 1, slot: 'a' },
  temperature: { group: 1, slot: 'b' },
  humidity: { group: 1, slot: 'c' },
  latitude: { group: 2, slot: 'a' },
  longitude: { group: 2, slot: 'b' },
  altitude: { group: 2, slot: 'c' },
  battery_level: { group: 3, slot: 'a' },
  signal_strength: { group: 3, slot: 'b' },
  soil_moisture: { group: 3, slot: 'c' },
  light_intensity: { group: 4, slot: 'a' },
  wind_speed: { group: 4, slot: 'b' },
  atmospheric_pressure: { group: 4, slot: 'c' },
  rainfall: { group: 5, slot: 'a' },
} as const satisfies Record<ChannelName, Place>;

/** The channels of a group in the order of its lanes. */
export const CHANNELS_IN_GROUP: ReadonlyMap<number, readonly ChannelName[]> = Map.groupBy(
  CHANNEL_NAMES,
  (name) => CHANNEL_LAYOUT[name].group,
);

/** The columns of a row for each of its lanes, given the fields of a channel. */
export const laneColumns = (fields: readonly string[]): string[] =>
  LANES.flatMap((slot) => fields.map((field) => `${slot}_${field}`));

const SLOT_INDEX = { a: 0, b: 1, c: 2 } as const satisfies Record<Slot, number>;

/** The index of the first column of a channel, after the `before` first columns of the row. */
export const laneOffset = (channel: ChannelName, before: number, fieldsPerSlot: number): number =>
  before + SLOT_INDEX[CHANNEL_LAYOUT[channel].slot] * fieldsPerSlot;

/** The bit that marks a value of a raw reading as bad; it must never change, like the lanes. */
export const badBitOf = (channel: ChannelName): number => {
  const { group, slot } = CHANNEL_LAYOUT[channel];
  return 1 << ((group - 1) * LANES.length + SLOT_INDEX[slot]);
};

/** Sets a column of a lane if its time is newer than the stored one, or if nothing was stored. */
export const whenNewer = (table: string, slot: Slot, field: string, time: string): string =>
  `${slot}_${field} = CASE WHEN ${table}.${slot}_${time} IS NULL OR excluded.${slot}_${time} > ${table}.${slot}_${time}
     THEN excluded.${slot}_${field} ELSE ${table}.${slot}_${field} END`;
