import type { Grain } from '@granary/contract/foresight/silo-use';

/**
 * What is known of each grain. `henderson` are the constants of the Modified Henderson equation (ASAE D245; k in 1e-5);
 * `keepsAtPercent` is the moisture recommended for long storage (Hellevang, NDSU), the target of aeration where none is given;
 * `storage` tells from which model the safe storage time comes. Published equations differ by up to one point of moisture.
 */
export const GRAIN_DATA: Readonly<Record<Grain, GrainData>> = {
  maize: { henderson: { k: 8.6541, n: 1.8634, c: 49.81 }, keepsAtPercent: 13.5, storage: 'thompson' },
  wheat: { henderson: { k: 2.3007, n: 2.2857, c: 55.815 }, keepsAtPercent: 13.5, storage: 'cereals' },
  soft_wheat: { henderson: { k: 1.2299, n: 2.5558, c: 64.346 }, keepsAtPercent: 13.5, storage: 'cereals' },
  barley: { henderson: { k: 2.2919, n: 2.0123, c: 195.267 }, keepsAtPercent: 12, storage: 'cereals' },
  soybean: { henderson: { k: 30.5327, n: 1.2164, c: 134.136 }, keepsAtPercent: 11, storage: 'soybeans' },
  rice: { henderson: { k: 1.9187, n: 2.4451, c: 51.161 }, keepsAtPercent: 12.5, storage: 'cereals' },
  sorghum: { henderson: { k: 0.8532, n: 2.4757, c: 113.725 }, keepsAtPercent: 13.5, storage: 'cereals' },
};

interface GrainData {
  readonly henderson: { readonly k: number; readonly n: number; readonly c: number };
  readonly keepsAtPercent: number;
  readonly storage: 'thompson' | 'cereals' | 'soybeans';
}
