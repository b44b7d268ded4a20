import { unitSymbol } from '@granary/contract/telemetry/channels';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** More than any id has. */
const QUOTED_CHARS_MAX = 64;
const YEAR_MS = 365 * DAY_MS;
/** The largest unit in which the time is at least 1.5, or 1 of the next larger one where it is close to that. */
const UNITS = [
  { ms: SECOND_MS, one: 's', many: 's', below: 90 * SECOND_MS },
  { ms: MINUTE_MS, one: 'min', many: 'min', below: 59.5 * MINUTE_MS },
  { ms: HOUR_MS, one: 'h', many: 'h', below: 36 * HOUR_MS },
  { ms: DAY_MS, one: 'day', many: 'days', below: YEAR_MS },
] as const;
const YEARS = { ms: YEAR_MS, one: 'year', many: 'years' } as const;

/**
 * Parts of sentences that several slices share. A sentence for people has no ids and no code names: programs find those in
 * fields of their own.
 */

/** A value as people write it, such as `31.4 °C`. */
export const valueText = (value: number | string, unit: string): string => `${value} ${unitSymbol(unit)}`;

/** A code name, such as that of a sensor or a status, as words. */
export const inWords = (code: string): string => code.replaceAll(/[_\s]+/g, ' ').trim();

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * What a device or a person gave as a reason, as the end of a longer sentence: without the full stop at its end, and `null` if
 * nothing is left.
 */
export function reasonText(reason: string | null | undefined): string | null {
  const text = (reason ?? '').replace(/[\s.;:,!?]+$/, '').trimStart();
  return text === '' ? null : text;
}

/** What a caller sent, such as an id that nothing has. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, QUOTED_CHARS_MAX));

/** Why a device refused or ended something, in its own words. */
export const deviceReason = (reason: string | null): string =>
  reasonText(reason) ?? 'the device gave no reason';

/** The sentence about what happened, with the reason if there is one. */
export const withReason = (what: string, reason: string | null | undefined): string => {
  const text = reasonText(reason);
  return text === null ? what : `${what}: ${text}`;
};

/** A length of time in one rounded number, for sentences: `45 s`, `2 min`, `1 h`, `3 days`. */
export function durationText(lengthMs: number): string {
  const { ms, one, many } = UNITS.find(({ below }) => lengthMs < below) ?? YEARS;
  const count = Math.round(lengthMs / ms);
  return `${count} ${count === 1 ? one : many}`;
}
