/** A range of stored whole numbers, including both ends. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
}

/** The values at which a condition is present and those at which it is absent; between them is the dead band. */
export interface ConditionRanges {
  readonly present: ValueRange;
  readonly absent: ValueRange;
}

export const atMost = (max: number): ValueRange => ({ min: Number.NEGATIVE_INFINITY, max });
export const atLeast = (min: number): ValueRange => ({ min, max: Number.POSITIVE_INFINITY });

export const contains = ({ min, max }: ValueRange, value: number): boolean => value >= min && value <= max;

/** The complement of a range that is open on one side. */
export const allBut = ({ min, max }: ValueRange): ValueRange =>
  min === Number.NEGATIVE_INFINITY ? atLeast(max + 1) : atMost(min - 1);

export const EVERY_VALUE: ValueRange = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

/** The values in all of these ranges. */
export const intersection = (ranges: readonly ValueRange[]): ValueRange =>
  ranges.reduce(
    (common, { min, max }) => ({ min: Math.max(common.min, min), max: Math.min(common.max, max) }),
    EVERY_VALUE,
  );

export function stateAt(
  { present, absent }: ConditionRanges,
  value: number,
): 'present' | 'absent' | 'indeterminate' {
  if (contains(present, value)) return 'present';
  return contains(absent, value) ? 'absent' : 'indeterminate';
}
