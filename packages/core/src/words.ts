import { sentence } from '@granary/contract/sentences/english';

/** More than any id has. */
const QUOTED_CHARS_MAX = 64;
/**
 * Parts of sentences that several slices share. A sentence for people has no ids and no code names: programs find those in
 * fields of their own.
 */

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
export const deviceReason = (reason: string | null, otherwise: UnsaidReason = 'device_gave_no_reason') => {
  const words = reasonText(reason);
  return words === null ? sentence(otherwise) : sentence('device_said', { words });
};

/** What is told of a device that gave no reason. */
type UnsaidReason = 'device_gave_no_reason' | 'superseded' | 'ended_early';
