import { formatNumber } from './numbers.ts';

const KM_M = 1_000;

/** A length as a person says it, such as `412 m` or `3.4 km`. */
export const formatLength = (metres: number, language: string): string =>
  metres >= KM_M
    ? `${formatNumber(metres / KM_M, metres >= 10 * KM_M ? 0 : 1, language)} km`
    : `${formatNumber(metres, 0, language)} m`;
