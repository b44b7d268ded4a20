/** Movement below this share of the capacity cannot be told from a scale's noise. */
const NOISE_OF_CAPACITY = 0.001;
export const IMBALANCE_PERCENT_MAX = 5;

export const weightNoiseG = (capacityG: number): number => capacityG * NOISE_OF_CAPACITY;

export interface MassBalance {
  /** Of what the device says it moved. */
  readonly differencePercent: number;
  readonly isImbalanced: boolean;
}

/** Compares what a device says it moved with what its scale says. A difference within the scale's noise is none. */
export function massBalance(reportedG: number, measuredG: number, capacityG: number): MassBalance {
  const differenceG = Math.abs(reportedG - measuredG);
  if (differenceG <= weightNoiseG(capacityG)) return { differencePercent: 0, isImbalanced: false };
  const differencePercent = reportedG === 0 ? 100 : (differenceG / reportedG) * 100;
  return { differencePercent, isImbalanced: differencePercent > IMBALANCE_PERCENT_MAX };
}
