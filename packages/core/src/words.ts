import { unitSymbol } from '@granary/contract/telemetry/unit-symbols';

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

/** More than any id has. */
const QUOTED_CHARS_MAX = 64;

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
