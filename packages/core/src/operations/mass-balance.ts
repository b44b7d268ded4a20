/** A change of weight below this share of the capacity cannot be distinguished from the scale's noise. */
const NOISE_OF_CAPACITY = 0.001;
export const IMBALANCE_PERCENT_MAX = 5;

export const weightNoiseG = (capacityG: number): number => capacityG * NOISE_OF_CAPACITY;

export interface MassBalance {
  /** In percent of the amount that the device reported. */
  readonly differencePercent: number;
  readonly isImbalanced: boolean;
}

/** Compares the amount that a device reported with the change of its weight; a difference within the scale's noise counts as zero. */
export function massBalance(reportedG: number, measuredG: number, capacityG: number): MassBalance {
  const differenceG = Math.abs(reportedG - measuredG);
  if (differenceG <= weightNoiseG(capacityG)) return { differencePercent: 0, isImbalanced: false };
  const differencePercent = reportedG === 0 ? 100 : (differenceG / reportedG) * 100;
  return { differencePercent, isImbalanced: differencePercent > IMBALANCE_PERCENT_MAX };
}
