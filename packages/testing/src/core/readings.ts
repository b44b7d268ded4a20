import type { ChannelName } from '@granary/contract/telemetry/channels';
import type { Slot } from '@granary/core/sensors/sensor';
import { STANDARD_SENSORS } from '@granary/core/sensors/standard-sensors';
import type { Reading } from '@granary/core/telemetry/readings';

/** Stored values by the names of standard sensors. */
export type NamedValues = { readonly [C in ChannelName]?: number };

const SLOT_NAMES = ['a', 'b', 'c'] as const;

/** The readings of one device and time, one for each group that has values, in the order of the groups. */
export function readingsOf(
  deviceNo: number,
  tsMs: number,
  good: NamedValues,
  bad: NamedValues = {},
): Reading[] {
  const readings = new Map<number, Reading>();
  for (const [values, isBad] of [[good, false] as const, [bad, true] as const]) {
    for (const [name, value] of Object.entries(values)) {
      const { group, slot } = STANDARD_SENSORS[name as ChannelName].lane;
      const before = readings.get(group) ?? emptyReading(deviceNo, tsMs, group);
      const badMask = before.badMask | (isBad ? 1 << slot : 0);
      readings.set(group, { ...before, [SLOT_NAMES[slot]]: value, badMask });
    }
  }
  return [...readings.values()].sort((one, other) => one.group - other.group);
}

/** A reading as by `readingsOf`, for values of one group. */
export function readingOf(deviceNo: number, tsMs: number, good: NamedValues, bad: NamedValues = {}): Reading {
  const [reading = emptyReading(deviceNo, tsMs, 1), ...others] = readingsOf(deviceNo, tsMs, good, bad);
  if (others.length > 0) throw new Error('these values belong to several groups');
  return reading;
}

const emptyReading = (deviceNo: number, tsMs: number, group: number): Reading => ({
  deviceNo,
  tsMs,
  group,
  a: null,
  b: null,
  c: null,
  badMask: 0,
});

/** The value of a standard sensor in a reading, and whether it is implausible; `undefined` when there is none. */
export function namedValue(
  reading: Reading,
  name: ChannelName,
): { readonly value: number; readonly isBad: boolean } | undefined {
  const { group, slot } = STANDARD_SENSORS[name].lane;
  const value = reading.group === group ? reading[SLOT_NAMES[slot as Slot]] : null;
  return value === null ? undefined : { value, isBad: (reading.badMask & (1 << slot)) !== 0 };
}
