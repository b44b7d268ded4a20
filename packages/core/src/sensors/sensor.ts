import type { ChannelName } from '@granary/contract/telemetry/channels';

/** The columns of a stored row that has three values. */
export type Slot = 0 | 1 | 2;
export const SLOTS_PER_GROUP = 3;

/** Where the values of a sensor are stored; the rows of one device and time differ by their group. */
export interface Lane {
  readonly group: number;
  readonly slot: Slot;
}

/** What a device measures with one sensor. */
export interface Sensor {
  /** Unique for the device; a standard sensor is called like its channel. */
  readonly sensorId: string;
  readonly type: string;
  readonly unit: string;
  /** A value is stored as a whole number of `1 / scale` units. */
  readonly scale: number;
  /** The range of plausible values. */
  readonly min: number;
  readonly max: number;
  readonly lane: Lane;
  /** `null` for a sensor that reports as often as its device. */
  readonly reportingIntervalMs: number | null;
}

/** The latest stored value of a sensor. */
export interface LatestValue {
  readonly value: number;
  readonly tsMs: number;
  /** Set if the value was stored with quality `bad`: the device marked it as bad, or it was implausible at that time. */
  readonly isBad?: true;
}

/** The latest values of a device by the ids of its sensors. */
export type LatestValues = { readonly [C in ChannelName]?: LatestValue } & {
  readonly [sensorId: string]: LatestValue | undefined;
};

/** Only own properties count, because a sensor may be called `constructor`. */
export const latestOf = (latest: LatestValues, { sensorId }: Sensor): LatestValue | undefined =>
  Object.hasOwn(latest, sensorId) ? latest[sensorId] : undefined;

/** The latest values of one stored row. */
export interface GroupValues {
  readonly group: number;
  readonly values: readonly (LatestValue | undefined)[];
}

/** Values of lanes that belong to none of the sensors are left out. */
export function latestValues(sensors: readonly Sensor[], stored: readonly GroupValues[]): LatestValues {
  const found: [sensorId: string, latest: LatestValue][] = [];
  for (const { sensorId, lane } of sensors) {
    const latest = stored.find(({ group }) => group === lane.group)?.values[lane.slot];
    if (latest !== undefined) found.push([sensorId, latest]);
  }
  return Object.fromEntries(found);
}
