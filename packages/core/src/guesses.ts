import { backoffMs } from '@granary/common/patience';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '@granary/contract/time';

/** Wrong codes of a second factor in a day: at each known place, and everywhere else together. */
export const CODES_WRONG_MAX = 20;
/** Wrong PINs of a person at one terminal; after these only the password counts there. */
export const PIN_TRIES_MAX = 5;
/** Wrong PINs of a person at all terminals where the person never gave the password; after these only the password counts there. */
export const PIN_TRIES_ELSEWHERE_MAX = 20;
/** Of one person; a further place takes that of the one that was used longest ago. */
export const KNOWN_PLACES_MAX = 100;
const PIN_WAITS = { firstMs: SECOND_MS, longestMs: MINUTE_MS };

/** The codes that were counted, and since when. */
export interface CodeTries {
  readonly count: number;
  readonly sinceMs: number;
}

/** `tries` are the ones with this code, which is looked at where nobody waits. */
export interface CodeTry {
  readonly waitMs: number;
  readonly tries: CodeTries;
}

/** The codes of a day are counted together; nothing but time makes wrong ones forgotten. */
export function codeTry(before: CodeTries | undefined, nowMs: number): CodeTry {
  // A clock that was set back must not make anybody wait longer than a day.
  const isOver = before === undefined || Math.abs(nowMs - before.sinceMs) >= DAY_MS;
  const { count, sinceMs } = isOver ? { count: 0, sinceMs: nowMs } : before;
  if (count < CODES_WRONG_MAX) return { waitMs: 0, tries: { count: count + 1, sinceMs } };
  return { waitMs: Math.min(DAY_MS, sinceMs + DAY_MS - nowMs), tries: { count, sinceMs } };
}

/** The PINs of a person that were tried since the last right one. */
export interface PinTries {
  /** At this terminal. */
  readonly count: number;
  readonly lastAtMs: number;
  /** At all terminals where the person never gave the password. */
  readonly elsewhere: number;
  /** Whether the person has given the password at this terminal. */
  readonly isKnown: boolean;
}

/** What becomes of a further PIN: it is looked at, comes too early, or does not count any more. */
export type PinTry = { readonly waitMs: number } | 'password_required';

export function pinTry({ count, lastAtMs, elsewhere, isKnown }: PinTries, nowMs: number): PinTry {
  if (count >= PIN_TRIES_MAX) return 'password_required';
  if (!isKnown && elsewhere >= PIN_TRIES_ELSEWHERE_MAX) return 'password_required';
  const longestMs = backoffMs(count, PIN_WAITS);
  // A clock that was set back must not make anybody wait longer.
  return { waitMs: Math.min(longestMs, Math.max(0, lastAtMs + longestMs - nowMs)) };
}
