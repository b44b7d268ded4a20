import { unitSymbol } from '@granary/contract/telemetry/unit-symbols';

/** Numbers in the way of the viewer's language, with the digits that their unit justifies and a minus sign. */
export function formatNumber(value: number, decimals: number, language: string): string {
  const text = new Intl.NumberFormat(language, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(value);
  return text.replace('-', '−');
}

/** Where a unit is not listed, three significant digits are shown. */
const DECIMALS: Readonly<Record<string, number>> = {
  percent: 0,
  celsius: 1,
  kg: 0,
  volt: 2,
  dbm: 0,
  lux: 0,
  hpa: 0,
  mm: 1,
  ppm: 0,
  degree: 5,
  degrees: 5,
};

export { unitSymbol };

/** A value as a person says it, such as `21.4 °C`. */
export function formatValue(value: number, unit: string, language: string): string {
  const decimals = DECIMALS[unit.toLowerCase()] ?? decimalsFor(value);
  return `${formatNumber(value, decimals, language)} ${unitSymbol(unit)}`;
}

function decimalsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 100) return 0;
  return size >= 10 ? 1 : 2;
}

const TONNE_KG = 1_000;

/** Masses from one tonne on are in tonnes. */
export function formatMass(kg: number, language: string): string {
  const isTonnes = Math.abs(kg) >= TONNE_KG;
  const amount = isTonnes ? formatNumber(kg / TONNE_KG, 2, language) : formatNumber(kg, 0, language);
  return `${amount} ${isTonnes ? 't' : 'kg'}`;
}
