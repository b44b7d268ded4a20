import { sentence } from '@granary/contract/sentences/codes';

/** No id is longer than this. */
const QUOTED_CHARS_MAX = 64;
/**
 * Parts of sentences that several slices share. A sentence for people has no ids and no code names: programs find those in
 * fields of their own.
 */

/** The reason that a device or a person gave, as the end of a longer sentence: without the full stop, and `null` if nothing is left. */
export function reasonText(reason: string | null | undefined): string | null {
  const text = (reason ?? '').replace(/[\s.;:,!?]+$/, '').trimStart();
  return text === '' ? null : text;
}

/** A text that a caller sent, such as an unknown id. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, QUOTED_CHARS_MAX));

/** Why a device refused or ended something, in the words of the device. */
export const deviceReason = (reason: string | null, otherwise: UnsaidReason = 'device_gave_no_reason') => {
  const words = reasonText(reason);
  return words === null ? sentence(otherwise) : sentence('device_said', { words });
};

/** The texts for a device that gave no reason. */
type UnsaidReason = 'device_gave_no_reason' | 'superseded' | 'ended_early';
