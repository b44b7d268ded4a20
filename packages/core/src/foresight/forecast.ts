import type { Forecast, ForecastInput } from './types.ts';

/** A silo that lasts longer is not given a date. The calendar of `ForecastInput` should reach from 15 days ago to this many days ahead. */
export const EMPTY_WITHIN_DAYS = 60;

export function forecastOf(_input: ForecastInput): Forecast {
  throw new Error('follows');
}
