import { timeAhead as timeAheadOf } from '@granary/common/time-text';
import type { Forecast } from '@granary/contract/foresight/forecasts';
import { otherZone } from '../kit/format.ts';
import type { Texts } from '../texts.ts';
import { texts } from '../texts.ts';

type Words = Texts['foresight'];

/** The values that the sentence about a silo needs. */
export type Told = Pick<Forecast, 'status' | 'empty' | 'order_by'> & {
  readonly with_deliveries?: Forecast['with_deliveries'];
};

/** The time with the ordered deliveries where there are some, so that the page does not call a silo empty for which a truck comes in time. */
const emptyOf = ({ empty, with_deliveries: ordered = null }: Told): Told['empty'] =>
  ordered === null ? empty : ordered.empty;

interface Reading {
  readonly nowMs: number;
  readonly language: string;
  readonly words: Words;
  /** The time zone of the silo. */
  readonly timeZone: string;
}

/** A time ahead, with the precision that the forecast has. */
export const timeAhead = (at: string, { words, ...reader }: Reading): string =>
  timeAheadOf(Date.parse(at), { ...reader, halfDays: words.halfDays });

/** Adds the place to a sentence with a time, where its time zone differs from that of the viewer. */
export function inZone(sentence: string, { nowMs, timeZone }: Reading): string {
  const place = otherZone(timeZone, nowMs);
  return place === null ? sentence : texts.value.common.inZone({ text: sentence, place });
}

/** A sentence such as "Empty Thu 14:00 (Wed 20:00 to Fri 09:00)", or why no time can be given. */
export function emptySentence(told: Told, reading: Reading): string {
  const { words } = reading;
  const { status } = told;
  const { p10 = null, p50 = null, p90 = null } = emptyOf(told) ?? {};
  if (status === 'unpredictable' && p10 !== null) {
    return inZone(words.earliest({ when: timeAhead(p10, reading) }), reading);
  }
  if (status !== 'ok') return words.statuses[status];
  if (p50 === null) return words.lastsLonger;
  const middle = words.empty({ when: timeAhead(p50, reading) });
  if (p10 === null || p90 === null) return inZone(middle, reading);
  const [first, last] = [timeAhead(p10, reading), timeAhead(p90, reading)];
  return inZone(first === last ? middle : `${middle} (${words.range({ from: first, to: last })})`, reading);
}

/** `null` where nothing has to be ordered. */
export function orderSentence({ order_by }: Told, reading: Reading): string | null {
  if (order_by === null) return null;
  const { words, nowMs } = reading;
  if (Date.parse(order_by) <= nowMs) return words.orderOverdue;
  return inZone(words.orderBy({ when: timeAhead(order_by, reading) }), reading);
}

/** Says how much fits at which time, and when to deliver it. */
export function fitSentence(
  { kg, fits_from, fits_now_kg }: Suggested,
  mass: (kg: number) => string,
  reading: Reading,
): string {
  const { words } = reading;
  if (fits_now_kg >= kg) return words.fitNow({ mass: mass(kg) });
  const all = words.fits({ mass: mass(kg), when: timeAhead(fits_from, reading) });
  return fits_now_kg > 0 ? `${all} · ${words.fitNow({ mass: mass(fits_now_kg) })}` : all;
}

type Suggested = Pick<NonNullable<Forecast['suggestion']>, 'kg' | 'fits_from' | 'fits_now_kg'>;

/** Says when to deliver: as one time if both ends of the window have the same text. */
export function deliverSentence(
  { from, to }: { readonly from: string; readonly to: string },
  reading: Reading,
): string {
  const { words } = reading;
  const [first, last] = [timeAhead(from, reading), timeAhead(to, reading)];
  return inZone(
    first === last ? words.deliverAt({ when: last }) : words.deliverBetween({ from: first, to: last }),
    reading,
  );
}

/** Says that a delivery does not fit as a whole, and when it will; `null` if it fits. */
export function tooMuchSentence(
  {
    kg,
    fitsKg,
    fitsFrom,
  }: { readonly kg: number; readonly fitsKg: number; readonly fitsFrom: string | null },
  mass: (kg: number) => string,
  reading: Reading,
): string | null {
  const { words } = reading;
  // A difference of a kilogram is below the accuracy of the scale.
  if (fitsKg >= kg - 1) return null;
  const rest =
    fitsFrom === null ? words.fitsNotInSight : words.allFitsFrom({ when: timeAhead(fitsFrom, reading) });
  return inZone(words.fitsOnly({ mass: mass(fitsKg), rest }), reading);
}

/** The quantiles of the normal distribution, at the middle of each of twenty equal parts of the probability. */
const NORMAL_QUANTILES = [
  -1.96, -1.44, -1.15, -0.935, -0.755, -0.598, -0.454, -0.319, -0.189, -0.063, 0.063, 0.189, 0.319, 0.454,
  0.598, 0.755, 0.935, 1.15, 1.44, 1.96,
];
const NORMAL_P90 = 1.2816;

/** Twenty equally likely times at which the silo is empty; none if not all of the forecast times are known. */
export function likelyTimesMs(told: Told, nowMs: number): number[] {
  const { p10 = null, p50 = null, p90 = null } = emptyOf(told) ?? {};
  if (p10 === null || p50 === null || p90 === null) return [];
  const [first, middle, last] = [Date.parse(p10), Date.parse(p50), Date.parse(p90)];
  return NORMAL_QUANTILES.map((z) =>
    Math.max(nowMs, middle + (z * (z < 0 ? middle - first : last - middle)) / NORMAL_P90),
  );
}
