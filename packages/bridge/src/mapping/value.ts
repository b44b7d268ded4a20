import { convertUnit } from '@granary/common/units';

/** Why a value must not be used. */
export const BAD_REASONS = [
  'out_of_range',
  /** Another point of the device says that this one is not valid. */
  'bad_status',
  /** The device sends this number where it has no value. */
  'none_value',
  'not_a_number',
  /** The table has no line for what the device says about scale or unit. */
  'unknown_scale',
  'unknown_unit',
  'unknown_value',
] as const;
type BadReason = (typeof BAD_REASONS)[number];

/** What one point said; `value` is `null` where it could not be read as a number. */
export interface PointValue {
  readonly point: string;
  /** The sensor of the device that gets it; `null` for a point that only others need. */
  readonly sensor: string | null;
  /** As it came: the registers in hexadecimal, or the text. */
  readonly raw: string;
  readonly value: number | null;
  readonly unit: string;
  readonly quality: PointQuality;
  /** Where the quality is bad. */
  readonly reason: BadReason | null;
}

type PointQuality = 'good' | 'bad';

/** What is needed of a point to make its value. */
interface RuledPoint {
  readonly name: string;
  readonly sensor: string | null;
  readonly rules: ValueRules;
}

/** The value of another point of the same read decides about this one. */
export interface Condition {
  readonly point: string;
  /** It holds when the value, before scale and offset, is one of these; or when this bit is set. */
  readonly is: { readonly values: readonly (number | string)[] } | { readonly bit: number };
}

export interface FromPoint<Entry> {
  readonly point: string;
  readonly table: ReadonlyMap<string, Entry>;
}

/** What makes a value of what a device says; the same for all protocols. Everything stands for the value of one point. */
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
  /** The unit of the result, where it is not that of the device. */
  readonly convert: string | null;
  readonly none: readonly number[];
  readonly range: readonly [number, number] | null;
  /** Bad when one of these holds. */
  readonly badWhen: readonly Condition[];
  /** Bad unless all of these hold. */
  readonly validWhen: readonly Condition[];
}

/** What a device said about a point, before all rules. */
export interface RawValue {
  /** For people. */
  readonly shown: string;
  /** `null` where the device says that there is none. */
  readonly is: number | bigint | string | boolean | null;
}

/** The points that must be read together with this one, because they decide about it. */
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
 * The values of one read or one message. A point of which the device said nothing is left out, and so is one that depends on
 * such a point: nothing is taken from an earlier read.
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
  // A text that no sensor gets is for people, and for the tables of other points.
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

/** `undefined` where the device did not say enough to decide it: then a value is not trusted. */
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

/** Operators for bits of numbers work on so many. */
const SAFE_BITS = 32;
const EXACT_DIGITS = 15;

/** 3 × 0.1 is 0.3. */
function withoutRoundingError(value: number, scale: number, offset: number): number {
  const isExact = (scale === 1 && offset === 0) || Number.isInteger(value);
  return isExact ? value : Number(value.toPrecision(EXACT_DIGITS));
}
