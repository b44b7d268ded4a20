import type { KindsOfValues, Sentence, ValuesOf } from './sentence.ts';

/** The reasons for a forecast. */
export const FORECAST_REASONS = {
  uses: { kg_per_day: 'mass', change_percent: 'change?' },
  animals_curve: { kind: 'animals', age_days: 'number', percent_of_curve: 'number' },
  animals_end: { day: 'date' },
  animals_do_not_match: { percent_of_curve: 'number' },
  animals_not_plausible: { what: 'animalsField' },
  weekdays: { quiet: 'weekdays' },
  refills: { days: 'number', count: 'number' },
  learning: { needed: 'number', days: 'number' },
  stale: { hours: 'number?', last: 'time?' },
  weight_unchanged: { since: 'time' },
  idle: { days: 'number' },
  lasts_longer: { days: 'number' },
  wide_range: { ratio: 'number' },
  capacity_not_plausible: { capacity_kg: 'mass', level_kg: 'mass' },
  order_overdue: { hours: 'number' },
} as const;

/** The reasons why fans help or not, and which data are missing to say more about the grain. */
export const GRAIN_REASONS = {
  no_grain: {},
  air_cools: { outside_c: 'temperature', grain_c: 'temperature' },
  air_dries: { equilibrium_percent: 'number' },
  rain: {},
  too_humid: {},
  too_cold: {},
  not_cool_enough: {},
  would_add_moisture: {},
  would_over_dry: {},
  grain_is_cool_and_dry: {},
} as const;

/** The faults of a silo that an examination found; the alert about a fault has the same text. */
export const FAULTS_FOUND = {
  operation_moves_nothing: { moved_kg: 'mass', minutes: 'number', expected_kg: 'mass' },
  use_has_stopped: { used_kg: 'mass', hours: 'number', expected_at_least_kg: 'mass' },
  material_has_fallen: { fallen_kg: 'mass' },
  steady_loss: { loss_kg_per_day: 'mass', nights: 'number' },
  step_down: { loss_kg: 'mass' },
  stuck: { level_kg: 'mass', unchanged_h: 'number', expected_use_kg: 'mass' },
  drift: { drift_kg_per_day: 'mass', nights: 'number' },
  less_than_noted: { measured_kg: 'mass', noted_kg: 'mass' },
  more_than_noted: { measured_kg: 'mass', noted_kg: 'mass' },
  scale_differs_always: { measured_kg: 'mass', noted_kg: 'mass' },
  point_gets_warmer: { temperature_c: 'temperature?', warmer_by_c: 'warming?', slope_c_per_day: 'warming?' },
  storage_life_used: { used_percent: 'number', remaining_days: 'number?' },
} as const;

/** The results of examinations that found no fault. */
export const NO_FAULT_FOUND = {
  flows: {},
  no_loss: {},
  steady: {},
  as_noted: {},
  no_hot_spot_seen: {},
  keeps: { used_percent: 'number' },
  withdrawals_not_known: {},
  too_few_nights: { nights_needed: 'number', nights: 'number' },
  too_few_days: {},
  no_use_expected: {},
  use_too_small: {},
  no_weights: {},
  nearly_empty: {},
  other_movement: {},
  runs_too_short: {},
  scale_too_uneven: {},
  settling: {},
  no_data: {},
} as const;

export const FINDINGS = { ...FAULTS_FOUND, ...NO_FAULT_FOUND } as const;

export type ForecastReason = Sentence<keyof typeof FORECAST_REASONS>;

/** A code with the values that its sentence needs; further values are allowed. */
type Numbers<Codes extends Readonly<Record<string, KindsOfValues>>> = {
  [Code in keyof Codes]: {
    readonly code: Code;
    readonly values: ValuesOf<Codes[Code]> & Readonly<Record<string, number | null>>;
  };
}[keyof Codes];

/** The result of an examination; `inconclusive` means that the data are not sufficient, and the code says why. */
export type FindingSentence =
  | (Numbers<typeof FAULTS_FOUND> & { readonly result: 'fail' })
  | (Numbers<typeof NO_FAULT_FOUND> & { readonly result: 'pass' | 'inconclusive' });
