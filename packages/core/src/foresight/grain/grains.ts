import type { Grain, Product } from '@granary/contract/foresight/silo-use';

/**
 * The data of each grain. `henderson` are the constants of the Modified Henderson equation (ASAE D245; k in 1e-5);
 * `keepsAtPercent` is the moisture recommended for long storage (Hellevang, NDSU), and the target of aeration if no other is
 * given; `storage` names the model for the safe storage time; `bushelLb` is the standard weight of a US bushel (USDA).
 * Published equations differ by up to one point of moisture.
 */
export const GRAIN_DATA: Readonly<Record<Grain, GrainData>> = {
  maize: {
    henderson: { k: 8.6541, n: 1.8634, c: 49.81 },
    keepsAtPercent: 13.5,
    storage: 'thompson',
    bushelLb: 56,
  },
  wheat: {
    henderson: { k: 2.3007, n: 2.2857, c: 55.815 },
    keepsAtPercent: 13.5,
    storage: 'cereals',
    bushelLb: 60,
  },
  soft_wheat: {
    henderson: { k: 1.2299, n: 2.5558, c: 64.346 },
    keepsAtPercent: 13.5,
    storage: 'cereals',
    bushelLb: 60,
  },
  barley: {
    henderson: { k: 2.2919, n: 2.0123, c: 195.267 },
    keepsAtPercent: 12,
    storage: 'cereals',
    bushelLb: 48,
  },
  soybean: {
    henderson: { k: 30.5327, n: 1.2164, c: 134.136 },
    keepsAtPercent: 11,
    storage: 'soybeans',
    bushelLb: 60,
  },
  rice: {
    henderson: { k: 1.9187, n: 2.4451, c: 51.161 },
    keepsAtPercent: 12.5,
    storage: 'cereals',
    bushelLb: 45,
  },
  sorghum: {
    henderson: { k: 0.8532, n: 2.4757, c: 113.725 },
    keepsAtPercent: 13.5,
    storage: 'cereals',
    bushelLb: 56,
  },
};

interface GrainData {
  readonly henderson: { readonly k: number; readonly n: number; readonly c: number };
  readonly keepsAtPercent: number;
  readonly storage: 'thompson' | 'cereals' | 'soybeans';
  readonly bushelLb: number;
}

const POUND_KG = 0.45359237;
/** A US bushel has 2,150.42 cubic inches. */
const BUSHEL_M3 = 0.03523907016688;

/** The weight of a US bushel of the product: by its density or, if that is not given, the standard weight of its grain. */
export function bushelKg(product: Product | undefined): number | null {
  const { bulk_density: density, grain } = product ?? {};
  if (density !== undefined) return density * BUSHEL_M3;
  return grain === undefined ? null : GRAIN_DATA[grain].bushelLb * POUND_KG;
}
