import { HOURS_PER_DAY } from './local-calendar.ts';

/** Each printable character is a whole percentage of the day's use, from -20 to 73. */
const FIRST_CODE = 33;
const PERCENT_MIN = -20;
const PERCENT_MAX = 73;

/** The rounding error of each hour is added to the next hour, so that the sum stays the same. */
export function encodeHours(useKg: readonly number[], dayKg: number): string {
  let text = '';
  let rest = 0;
  for (const kg of useKg) {
    const wanted = (100 * kg) / dayKg + rest;
    const percent = Math.min(Math.max(Math.round(wanted), PERCENT_MIN), PERCENT_MAX);
    rest = wanted - percent;
    text += String.fromCharCode(FIRST_CODE + percent - PERCENT_MIN);
  }
  return text;
}

/** The shares of `UseDay.hours`: 24 numbers with a sum of about 1. */
export function hourShares(text: string): number[] {
  const shares: number[] = [];
  for (let hour = 0; hour < HOURS_PER_DAY; hour += 1)
    shares.push((text.charCodeAt(hour) - FIRST_CODE + PERCENT_MIN) / 100);
  return shares;
}
