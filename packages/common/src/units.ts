/** How a unit becomes the base unit of its quantity: base = value × factor + offset. */
interface Unit {
  readonly quantity: string;
  readonly factor: number;
  readonly offset: number;
}

const of = (quantity: string, factor: number, offset = 0): Unit => ({ quantity, factor, offset });

const POUND_KG = 0.45359237;
const INCH_M = 0.0254;
const FOOT_M = 0.3048;
const MILE_M = 1609.344;
/** The conventional inch of mercury at 0 °C, which weather stations use. */
const INCH_OF_MERCURY_HPA = 33.8638866667;
const PSI_HPA = 68.9475729318;

/** The units, by the names that manuals, stations and other programs use. A factor is exact if the unit is defined by it. */
const UNITS: Readonly<Record<string, Unit>> = {
  kg: of('mass', 1),
  g: of('mass', 0.001),
  t: of('mass', 1_000),
  lb: of('mass', POUND_KG),
  oz: of('mass', POUND_KG / 16),
  short_ton: of('mass', POUND_KG * 2_000),
  celsius: of('temperature', 1),
  '°C': of('temperature', 1),
  C: of('temperature', 1),
  fahrenheit: of('temperature', 5 / 9, -160 / 9),
  '°F': of('temperature', 5 / 9, -160 / 9),
  F: of('temperature', 5 / 9, -160 / 9),
  K: of('temperature', 1, -273.15),
  m: of('length', 1),
  cm: of('length', 0.01),
  mm: of('length', 0.001),
  km: of('length', 1_000),
  in: of('length', INCH_M),
  ft: of('length', FOOT_M),
  mi: of('length', MILE_M),
  'm/s': of('speed', 1),
  'km/h': of('speed', 1 / 3.6),
  mph: of('speed', MILE_M / 3_600),
  'mi/h': of('speed', MILE_M / 3_600),
  kn: of('speed', 1_852 / 3_600),
  'ft/s': of('speed', FOOT_M),
  hPa: of('pressure', 1),
  Pa: of('pressure', 0.01),
  kPa: of('pressure', 10),
  mbar: of('pressure', 1),
  bar: of('pressure', 1_000),
  inHg: of('pressure', INCH_OF_MERCURY_HPA),
  psi: of('pressure', PSI_HPA),
  percent: of('share', 1),
  '%': of('share', 1),
  lux: of('illuminance', 1),
  lx: of('illuminance', 1),
  V: of('voltage', 1),
  mV: of('voltage', 0.001),
  A: of('current', 1),
  mA: of('current', 0.001),
  W: of('power', 1),
  kW: of('power', 1_000),
  s: of('time', 1),
  min: of('time', 60),
  h: of('time', 3_600),
};

/**
 * The number of digits that are kept: conversions in floating point have errors in the sixteenth digit, and a value has at most
 * twelve exact digits.
 */
const DIGITS = 12;

const unitNamed = (name: string): Unit | undefined => (Object.hasOwn(UNITS, name) ? UNITS[name] : undefined);

/** Returns the quantity of a unit, such as `mass`; `null` for an unknown unit. */
export const quantityOf = (unit: string): string | null => unitNamed(unit)?.quantity ?? null;

/** Returns whether one unit can be converted into the other; every unit, even an unknown one, can be converted into itself. */
export function isConvertible(from: string, to: string): boolean {
  const [source, target] = [unitNamed(from), unitNamed(to)];
  return from === to || (source !== undefined && source.quantity === target?.quantity);
}

/** Converts a value; returns `null` for units of different quantities, or for unknown units. */
export function convertUnit(value: number, from: string, to: string): number | null {
  if (from === to) return value;
  const [source, target] = [unitNamed(from), unitNamed(to)];
  if (source === undefined || target === undefined || source.quantity !== target.quantity) return null;
  if (source.factor === target.factor && source.offset === target.offset) return value;
  return Number(
    ((value * source.factor + source.offset - target.offset) / target.factor).toPrecision(DIGITS),
  );
}
