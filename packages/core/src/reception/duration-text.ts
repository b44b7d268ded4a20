import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

const YEAR_MS = 365 * DAY_MS;

/** The largest unit in which the time is at least 1.5, or 1 of the next larger one where it is close to that. */
const UNITS = [
  { ms: SECOND_MS, one: 's', many: 's', below: 90 * SECOND_MS },
  { ms: MINUTE_MS, one: 'min', many: 'min', below: 59.5 * MINUTE_MS },
  { ms: HOUR_MS, one: 'h', many: 'h', below: 36 * HOUR_MS },
  { ms: DAY_MS, one: 'day', many: 'days', below: YEAR_MS },
] as const;
const YEARS = { ms: YEAR_MS, one: 'year', many: 'years' } as const;

/** A length of time in one rounded number, for sentences: `45 s`, `2 min`, `1 h`, `3 days`. */
export function durationText(lengthMs: number): string {
  const { ms, one, many } = UNITS.find(({ below }) => lengthMs < below) ?? YEARS;
  const count = Math.round(lengthMs / ms);
  return `${count} ${count === 1 ? one : many}`;
}
