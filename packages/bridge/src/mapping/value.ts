import { convertUnit } from '@granary/common/units';

/** The reasons why a value must not be used. */
export const BAD_REASONS = [
  'out_of_range',
  /** Another point of the device reports that this one is not valid. */
  'bad_status',
  /** The device sends this number if it has no value. */
  'none_value',
  'not_a_number',
  /** The table has no entry for the reported scale or unit. */
  'unknown_scale',
  'unknown_unit',
  'unknown_value',
] as const;
type BadReason = (typeof BAD_REASONS)[number];

/** The value of one point; `value` is `null` if it could not be read as a number. */
export interface PointValue {
  readonly point: string;
  /** The sensor of the device that gets the value; `null` for a point that only other points use. */
  readonly sensor: string | null;
  /** The received data: the registers in hexadecimal, or the text. */
  readonly raw: string;
  readonly value: number | null;
  readonly unit: string;
  readonly quality: PointQuality;
  /** The reason, if the quality is bad. */
  readonly reason: BadReason | null;
}

type PointQuality = 'good' | 'bad';

/** The parts of a point from which its value is computed. */
interface RuledPoint {
  readonly name: string;
  readonly sensor: string | null;
  readonly rules: ValueRules;
}

/** A condition on another point of the same read, which decides about this point. */
export interface Condition {
  readonly point: string;
  /** The condition holds if the value, before scale and offset, is one of these, or if this bit is set. */
  readonly is: { readonly values: readonly (number | string)[] } | { readonly bit: number };
}

export interface FromPoint<Entry> {
  readonly point: string;
  readonly table: ReadonlyMap<string, Entry>;
}

/** The rules that make a value from the reported data; they are the same for all protocols. All fields belong to one point. */
export interface ValueRules {
  /** value = raw × scale + offset */
  readonly scale: number;
  readonly offset: number;
  readonly scaleFrom: FromPoint<number> | null;
  /** Makes the value negative: for devices that send the sign in a status bit. */
  readonly negativeWhen: Condition | null;
  /** The numbers that codes or texts stand for. */
  readonly table: ReadonlyMap<string, number> | null;
  readonly unit: string;
  readonly unitFrom: FromPoint<string> | null;
  /** The unit of the result, if it differs from that of the device. */
  readonly convert: string | null;
  readonly none: readonly number[];
  readonly range: readonly [number, number] | null;
  /** The value is bad if one of these holds. */
  readonly badWhen: readonly Condition[];
  /** The value is bad unless all of these hold. */
  readonly validWhen: readonly Condition[];
}

/** The reported data of a point, before all rules. */
export interface RawValue {
  /** The text for people. */
  readonly shown: string;
  /** The raw value; `null` if the device reports that there is none. */
  readonly is: number | bigint | string | boolean | null;
}

/** Returns the points that must be read together with this one, because its value depends on them. */
export const pointsNeededBy = ({
  scaleFrom,
  negativeWhen,
  unitFrom,
  badWhen,
  validWhen,
}: ValueRules): string[] => [
  ...[scaleFrom, unitFrom, negativeWhen].flatMap((one) => (one === null ? [] : [one.point])),
  ...[...badWhen, ...validWhen].map(({ point }) => point),
];

/**
 * Returns the values of one read or one message. A point without data is left out, and so is a point that depends on it:
 * nothing is taken from an earlier read.
 */
export function evaluatePoints(
  points: readonly RuledPoint[],
  rawOf: (point: string) => RawValue | undefined,
): PointValue[] {
  const values: PointValue[] = [];
  for (const point of points) {
    const raw = rawOf(point.name);
    if (raw === undefined) continue;
    if (pointsNeededBy(point.rules).some((needed) => rawOf(needed) === undefined)) continue;
    values.push(pointValueOf(point, raw, rawOf));
  }
  return values;
}

type RawOf = (point: string) => RawValue | undefined;

interface Judged {
  readonly value: number | null;
  readonly unit: string;
  readonly reason: BadReason | null;
}

function pointValueOf(point: RuledPoint, raw: RawValue, rawOf: RawOf): PointValue {
  const { value, unit, reason } = judge(point, raw, rawOf);
  return {
    point: point.name,
    sensor: point.sensor,
    raw: raw.shown,
    value,
    unit,
    quality: reason === null ? 'good' : 'bad',
    reason,
  };
}

function judge({ rules, sensor }: RuledPoint, raw: RawValue, rawOf: RawOf): Judged {
  const unit = unitOf(rules, rawOf);
  const shownUnit = rules.convert ?? unit ?? '';
  const bad = (reason: BadReason, value: number | null = null): Judged => ({
    value,
    unit: shownUnit,
    reason,
  });
  const number = numberOf(rules, raw.is);
  // A text without a sensor is for people, and for the tables of other points.
  if (number === 'not_a_number' && sensor === null && typeof raw.is === 'string')
    return { value: null, unit: shownUnit, reason: null };
  if (typeof number === 'string') return bad(number);
  const scale = scaleOf(rules, rawOf);
  if (scale === undefined) return bad('unknown_scale');
  const scaled = withoutRoundingError(number * scale + rules.offset, scale, rules.offset);
  const isNegative = rules.negativeWhen === null ? false : holds(rules.negativeWhen, rawOf);
  const signed = isNegative === true ? -scaled : scaled;
  if (unit === undefined) return bad('unknown_unit');
  const value = rules.convert === null ? signed : convertUnit(signed, unit, rules.convert);
  if (value === null) return bad('unknown_unit');
  if (!Number.isFinite(value)) return bad('not_a_number');
  const isRefused =
    isNegative === undefined ||
    rules.badWhen.some((condition) => holds(condition, rawOf) !== false) ||
    rules.validWhen.some((condition) => holds(condition, rawOf) !== true);
  if (isRefused) return bad('bad_status', value);
  const [min, max] = rules.range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (value < min || value > max) return bad('out_of_range', value);
  return { value, unit: shownUnit, reason: null };
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*$/;

function numberOf({ table, none }: ValueRules, raw: RawValue['is']): number | BadReason {
  if (raw === null) return 'none_value';
  if (table !== null) return table.get(String(raw)) ?? 'unknown_value';
  if (typeof raw === 'string' && !NUMBER.test(raw)) return 'not_a_number';
  const number = Number(raw);
  if (none.includes(number)) return 'none_value';
  return Number.isFinite(number) ? number : 'not_a_number';
}

function scaleOf({ scale, scaleFrom }: ValueRules, rawOf: RawOf): number | undefined {
  if (scaleFrom === null) return scale;
  const factor = scaleFrom.table.get(String(rawOf(scaleFrom.point)?.is));
  return factor === undefined ? undefined : factor * scale;
}

function unitOf({ unit, unitFrom }: ValueRules, rawOf: RawOf): string | undefined {
  return unitFrom === null ? unit : unitFrom.table.get(String(rawOf(unitFrom.point)?.is));
}

/** Returns whether a condition holds; `undefined` if the data are not sufficient: then the value is not trusted. */
function holds({ point, is }: Condition, rawOf: RawOf): boolean | undefined {
  const raw = rawOf(point)?.is ?? null;
  if (raw === null) return undefined;
  if ('values' in is) return is.values.some((value) => String(value) === String(raw));
  const number = Number(raw);
  if (!Number.isInteger(number)) return undefined;
  return is.bit < SAFE_BITS && number >= 0 && number < 2 ** SAFE_BITS
    ? ((number >>> is.bit) & 1) === 1
    : ((BigInt(raw) >> BigInt(is.bit)) & 1n) === 1n;
}

/** The bit operators for numbers work on this many bits. */
const SAFE_BITS = 32;
const EXACT_DIGITS = 15;

/** Removes the rounding error of the multiplication, so that 3 × 0.1 is 0.3. */
function withoutRoundingError(value: number, scale: number, offset: number): number {
  const isExact = (scale === 1 && offset === 0) || Number.isInteger(value);
  return isExact ? value : Number(value.toPrecision(EXACT_DIGITS));
}
