import type { MassUnit, RateUnit } from '@granary/contract/operations';

/** Six decimals are finer than the resolution of any sensor, and remove binary rounding errors. */
export const roundTo6 = (value: number): number => Math.round(value * 1e6) / 1e6;

interface Scale {
  readonly grams: number;
  /** The decimal places of the unit, never finer than a gram, so that rounding to whole grams is not visible. */
  readonly decimals: number;
}

const MASSES = {
  kg: { grams: 1_000, decimals: 3 },
  t: { grams: 1_000_000, decimals: 6 },
  lb: { grams: 453.59237, decimals: 2 },
  g: { grams: 1, decimals: 0 },
} as const satisfies Record<MassUnit, Scale>;

const RATES = {
  'kg/min': { grams: MASSES.kg.grams, minutes: 1 },
  't/h': { grams: MASSES.t.grams, minutes: 60 },
  'kg/h': { grams: MASSES.kg.grams, minutes: 60 },
  'lb/min': { grams: MASSES.lb.grams, minutes: 1 },
} as const satisfies Record<RateUnit, { readonly grams: number; readonly minutes: number }>;

/** Masses are whole grams, so that sums and differences are exact. */
export const toGrams = (amount: number, unit: MassUnit): number => Math.round(amount * MASSES[unit].grams);

export function fromGrams(massG: number, unit: MassUnit): number {
  const { grams, decimals } = MASSES[unit];
  const step = 10 ** decimals;
  return Math.round((massG / grams) * step) / step;
}

export const toGramsPerMin = (rate: number, unit: RateUnit): number =>
  (rate * RATES[unit].grams) / RATES[unit].minutes;

export const fromGramsPerMin = (rateGPerMin: number, unit: RateUnit): number =>
  roundTo6((rateGPerMin * RATES[unit].minutes) / RATES[unit].grams);
