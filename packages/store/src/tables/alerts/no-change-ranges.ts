import type { NoChangeRanges, SensorRange } from '@granary/core/alerts/no-change-ranges';

/** The stored form: the range of the weight in two columns, because most devices have no other, and the others as JSON. */
export type RangeColumns = [minG: number | null, maxG: number | null, others: string | null];

type StoredRange = [group: SensorRange['group'], slot: SensorRange['slot'], min: number, max: number];

/** No stored value lies beyond it. */
const whole = (bound: number): number =>
  Math.min(Math.max(bound, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);

export function rangeColumns(ranges: NoChangeRanges | null): RangeColumns {
  if (ranges === null) return [null, null, null];
  const { weight, others } = ranges;
  const stored = others.map(
    ({ group, slot, min, max }): StoredRange => [group, slot, whole(min), whole(max)],
  );
  return [whole(weight.min), whole(weight.max), stored.length === 0 ? null : JSON.stringify(stored)];
}

/** Ranges that cannot be read count as none, so that the device is evaluated and they are written anew. */
export function toRanges([min, max, text]: RangeColumns): NoChangeRanges | null {
  if (min === null || max === null) return null;
  const weight = { min, max };
  if (text === null) return { weight, others: [] };
  try {
    const others = (JSON.parse(text) as StoredRange[]).map(([group, slot, min, max]) => ({
      group,
      slot,
      min,
      max,
    }));
    return { weight, others };
  } catch {
    return null;
  }
}

export function isSameRanges(a: NoChangeRanges | null, b: NoChangeRanges | null): boolean {
  if (a === b) return true;
  const other = rangeColumns(b);
  return rangeColumns(a).every((column, index) => column === other[index]);
}
