import type { Sentence, ValuesOf } from './sentence.ts';

/** The reasons for a forecast. */
export const FORECAST_REASONS = {
  uses: 'It uses {kg_per_day:mass} a day[, {change_percent:change?} than in the week before].',
  animals_curve:
    'It is used as by {kind:animals} of day {age_days:number}, at {percent_of_curve:number} % of their curve.',
  animals_end: 'The animals leave on {day:date}.',
  animals_do_not_match:
    'The use is {percent_of_curve:number} % of the curve of the animals, so the curve is not used.',
  animals_not_plausible: 'The configured animals cannot be right: look at {what:animalsField}.',
  weekdays: 'Little is used on {quiet:weekdays}.',
  refills: 'Refills in the last {days:number} <days:day|days>: {count:number}.',
  learning: 'Of the {needed:number} full days that a forecast needs, {days:number} <days:is|are> known.',
  stale: 'The present weight is not known[: the last one is {hours:number?} h old, of {last:time?}].',
  weight_unchanged: 'The weight has not changed since {since:time}, though something should be used.',
  idle: 'Nothing was used in the last {days:number} <days:day|days>.',
  lasts_longer: 'It lasts for more than {days:number} <days:day|days>.',
  wide_range:
    'The use changes so much that the latest time is {ratio:number} times as far away as the earliest.',
  capacity_not_plausible: 'The capacity of {capacity_kg:mass} does not fit the weight of {level_kg:mass}.',
  order_overdue: 'The time to order passed {hours:number} h ago.',
} as const;

/** The reasons why fans help or not, and which data are missing to say more about the grain. */
export const GRAIN_REASONS = {
  no_grain: 'The configuration names no grain, and no sensor has a place on a cable.',
  air_cools: 'The air has {outside_c:temperature}, the grain {grain_c:temperature}.',
  air_dries: 'The air dries the grain towards {equilibrium_percent:number} %.',
  rain: 'It rains.',
  too_humid: 'The air is too humid.',
  too_cold: 'The air is too cold.',
  not_cool_enough: 'The air is not cool enough.',
  would_add_moisture: 'The air would add moisture.',
  would_over_dry: 'The air would dry the grain too much.',
  grain_is_cool_and_dry: 'The grain is cool and dry.',
} as const;

/** The faults of a silo that an examination found; the alert about a fault has the same text. */
export const FAULTS_FOUND = {
  operation_moves_nothing:
    'The operation has moved {moved_kg:mass} in {minutes:number} <minutes:minute|minutes>; {expected_kg:mass} were expected',
  use_has_stopped:
    'Only {used_kg:mass} were used in {hours:number} <hours:hour|hours>; at least {expected_at_least_kg:mass} were expected',
  material_has_fallen: 'Material that had bridged has fallen at once: {fallen_kg:mass}',
  steady_loss:
    'It loses {loss_kg_per_day:mass} a day that nothing explains, over {nights:number} <nights:night|nights>',
  step_down: '{loss_kg:mass} were gone at once, without an operation',
  stuck:
    'The weight has stayed at {level_kg:mass} for {unchanged_h:number} <unchanged_h:hour|hours>, in which {expected_use_kg:mass} should have been used',
  drift:
    'The scale drifts by {drift_kg_per_day:mass} a day, which nothing explains, over {nights:number} <nights:night|nights>',
  less_than_noted: 'The scale shows {measured_kg:mass} of the {noted_kg:mass} on the delivery note',
  more_than_noted: 'The scale shows {measured_kg:mass}, more than the {noted_kg:mass} on the delivery note',
  scale_differs_always:
    'The scale shows {measured_kg:mass} of the {noted_kg:mass} on the delivery note, as with earlier deliveries: the scale is wrong',
  point_gets_warmer:
    'A point of the cable gets warmer[: it has {temperature_c:temperature?}][, {warmer_by_c:warming?} more than around it][, and gains {slope_c_per_day:warming?} a day]',
  storage_life_used:
    '{used_percent:number} % of the safe storage time are used[; {remaining_days:number?} <remaining_days:day is|days are> left at the present temperature]',
} as const;

/** The results of examinations that found no fault. */
export const NO_FAULT_FOUND = {
  flows: 'Material flows',
  no_loss: 'No loss',
  steady: 'The scale is steady',
  as_noted: 'As on the delivery note',
  no_hot_spot_seen: 'No hot spot seen',
  keeps: '{used_percent:number} % of the safe storage time are used',
  withdrawals_not_known:
    'Not every removal is an operation of the service, so a loss or a drift cannot be told from use',
  too_few_nights: 'Of the {nights_needed:number} nights that it needs, {nights:number} <nights:is|are> known',
  too_few_days: 'Too few days are known',
  no_use_expected: 'No use is expected at this time',
  use_too_small: 'The use is too small to be seen',
  no_weights: 'No present weights',
  nearly_empty: 'The silo is nearly empty',
  other_movement: 'Something else was moved in this time',
  runs_too_short: 'The operation has not run long enough',
  scale_too_uneven: 'The scale is too uneven',
  settling: 'Grain was filled, moved or aerated lately, so temperatures tell nothing yet',
  no_data: 'Too few temperatures',
} as const;

export const FINDINGS = { ...FAULTS_FOUND, ...NO_FAULT_FOUND } as const;

export type ForecastReason = Sentence<keyof typeof FORECAST_REASONS>;

/** A code with the values that its sentence needs; further values are allowed. */
type Numbers<Templates extends Readonly<Record<string, string>>> = {
  [Code in keyof Templates]: {
    readonly code: Code;
    readonly values: ValuesOf<Templates[Code]> & Readonly<Record<string, number | null>>;
  };
}[keyof Templates];

/** The result of an examination; `inconclusive` means that the data are not sufficient, and the code says why. */
export type FindingSentence =
  | (Numbers<typeof FAULTS_FOUND> & { readonly result: 'fail' })
  | (Numbers<typeof NO_FAULT_FOUND> & { readonly result: 'pass' | 'inconclusive' });
