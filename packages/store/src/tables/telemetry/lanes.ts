import type { Slot } from '@granary/core/sensors/sensor';

/** The names of the slots in columns. */
export const SLOTS = ['a', 'b', 'c'] as const;
type SlotName = (typeof SLOTS)[number];

/** The columns of a row for each of its slots, given the fields of one value. */
export const slotColumns = (fields: readonly string[]): string[] =>
  SLOTS.flatMap((slot) => fields.map((field) => `${slot}_${field}`));

/** The index of the first column of a slot, after the `before` first columns of the row. */
export const slotOffset = (slot: Slot, before: number, fieldsPerSlot: number): number =>
  before + slot * fieldsPerSlot;

/** Sets a column of a slot if its time is newer than the stored one, or if nothing was stored. */
export const whenNewer = (table: string, slot: SlotName, field: string, time: string): string =>
  `${slot}_${field} = CASE WHEN ${table}.${slot}_${time} IS NULL OR excluded.${slot}_${time} > ${table}.${slot}_${time}
     THEN excluded.${slot}_${field} ELSE ${table}.${slot}_${field} END`;
