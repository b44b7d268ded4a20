import { sentence } from '@granary/contract/sentences/codes';
import type { ForecastReason } from '@granary/contract/sentences/foresight';
import { DAY_MS, toIso } from '@granary/contract/time';
import { expectedKg, isHoused } from './animals.ts';
import { recentKgPerDay } from './history.ts';
import { type Past, useOfCurve, weekdayFactors } from './methods.ts';
import { rounded } from './robust.ts';
import type { Animals, ForecastInput } from './types.ts';

/** Each of the two weeks that are compared needs this many known days. */
const CHANGE_DAYS = 7;
const CHANGE_KNOWN_DAYS_MIN = 4;
/** The change is shown as a whole number within these bounds. */
const CHANGE_PERCENT = { min: -100, max: 999 } as const;
/** If the use differs from the curve by more than these factors, the curve does not fit the animals. */
const CURVE_RATIO = { min: 0.6, max: 1.45 } as const;
/** A greater ratio is shown as this one, because it says nothing more. */
const CURVE_RATIO_SHOWN_MAX = 100;
/** The day on which the animals leave is a reason from this many days before it on. */
const ANIMALS_END_WITHIN_DAYS = 21;
/** A weekday with less than this share of the mean use is a day of rest. */
const REST_OF_MEAN = 0.3;
const REFILLS_WITHIN_DAYS = 14;

/** What a person needs to judge a forecast by: how much is used, and what the use depends on. */
export function useReasons(
  { configuration, refills, nowMs }: ForecastInput,
  past: Past,
  today: number,
): ForecastReason[] {
  const { animals } = configuration;
  const factors = weekdayFactors(past) ?? [];
  const quiet = factors.flatMap((factor, weekday) => (factor < REST_OF_MEAN ? [weekday] : []));
  const count = refills.filter(({ fromMs }) => fromMs > nowMs - REFILLS_WITHIN_DAYS * DAY_MS).length;
  return [
    sentence('uses', {
      kg_per_day: rounded(recentKgPerDay(past), 1),
      change_percent: changePercent(past.values) || null,
    }),
    ...(animals === null ? [] : animalReasons(animals, past, today)),
    ...(quiet.length > 0 && quiet.length < 6 ? [sentence('weekdays', { quiet: quiet.join(',') })] : []),
    ...(count > 0 ? [sentence('refills', { count, days: REFILLS_WITHIN_DAYS })] : []),
  ];
}

function animalReasons(animals: Animals, past: Past, today: number): ForecastReason[] {
  const reasons: ForecastReason[] = [];
  const { kind, startedOnDay, endsOnDay } = animals;
  const ratio = expectedKg(animals, today) !== null && isHoused(animals, today) ? useOfCurve(past) : null;
  if (ratio !== null) {
    const percent_of_curve = Math.round(100 * Math.min(ratio, CURVE_RATIO_SHOWN_MAX));
    const fits = ratio >= CURVE_RATIO.min && ratio <= CURVE_RATIO.max;
    reasons.push(
      fits
        ? sentence('animals_curve', { kind, age_days: today - startedOnDay + 1, percent_of_curve })
        : sentence('animals_do_not_match', { percent_of_curve }),
    );
  }
  if (endsOnDay !== null && endsOnDay > today && endsOnDay <= today + ANIMALS_END_WITHIN_DAYS)
    reasons.push(sentence('animals_end', { day: toIso(endsOnDay * DAY_MS).slice(0, 10) }));
  return reasons;
}

/** The change of the mean use from the week before last to the last week. */
export function changePercent(values: readonly number[]): number | null {
  const known = (days: readonly number[]): number[] => days.filter((kg) => !Number.isNaN(kg));
  const now = known(values.slice(-CHANGE_DAYS));
  const before = known(values.slice(-2 * CHANGE_DAYS, -CHANGE_DAYS));
  if (now.length < CHANGE_KNOWN_DAYS_MIN || before.length < CHANGE_KNOWN_DAYS_MIN) return null;
  const mean = (days: readonly number[]): number => days.reduce((sum, kg) => sum + kg, 0) / days.length;
  if (!(mean(before) > 0)) return null;
  const percent = (mean(now) / mean(before) - 1) * 100;
  return Math.round(Math.min(Math.max(percent, CHANGE_PERCENT.min), CHANGE_PERCENT.max));
}
